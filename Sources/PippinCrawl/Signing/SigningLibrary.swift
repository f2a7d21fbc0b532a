/// The functions of OpenSSL that sign with Ed25519 and check signatures. libcurl brings the library.
///
/// Types and numbers are those of openssl/evp.h, pem.h and bio.h, the same in OpenSSL 1.1.1 and 3.
struct SigningLibrary: Sendable {
    /// EVP_PKEY, EVP_MD_CTX, BIO and the like.
    typealias Handle = OpaquePointer
    typealias Bytes = UnsafePointer<UInt8>
    typealias Room = UnsafeMutablePointer<UInt8>
    /// How PEM functions ask for a password (`pem_password_cb`).
    typealias AskPassword =
        @convention(c) (UnsafeMutablePointer<CChar>?, Int32, Int32, UnsafeMutableRawPointer?) -> Int32

    /// EVP_PKEY_ED25519.
    static let ed25519: Int32 = 1087

    let newKeyContext: @convention(c) @Sendable (Int32, Handle?) -> Handle?
    let freeKeyContext: @convention(c) @Sendable (Handle?) -> Void
    let beginGenerating: @convention(c) @Sendable (Handle?) -> Int32
    let generate: @convention(c) @Sendable (Handle?, UnsafeMutablePointer<Handle?>) -> Int32
    let privateKey: @convention(c) @Sendable (Int32, Handle?, Bytes?, Int) -> Handle?
    let publicKey: @convention(c) @Sendable (Int32, Handle?, Bytes?, Int) -> Handle?
    let publicBytes: @convention(c) @Sendable (Handle?, Room?, UnsafeMutablePointer<Int>) -> Int32
    let kind: @convention(c) @Sendable (Handle?) -> Int32
    let freeKey: @convention(c) @Sendable (Handle?) -> Void
    let readPEM:
        @convention(c) @Sendable (Handle?, UnsafeMutableRawPointer?, AskPassword?, UnsafeMutableRawPointer?) -> Handle?
    let writePEM:
        @convention(c) @Sendable (
            Handle?, Handle?, Handle?, Bytes?, Int32, AskPassword?, UnsafeMutableRawPointer?
        ) -> Int32
    let newDigest: @convention(c) @Sendable () -> Handle?
    let freeDigest: @convention(c) @Sendable (Handle?) -> Void
    let beginSigning: @convention(c) @Sendable (Handle?, UnsafeMutableRawPointer?, Handle?, Handle?, Handle?) -> Int32
    let sign: @convention(c) @Sendable (Handle?, Room?, UnsafeMutablePointer<Int>, Bytes?, Int) -> Int32
    let beginVerifying: @convention(c) @Sendable (Handle?, UnsafeMutableRawPointer?, Handle?, Handle?, Handle?) -> Int32
    let verify: @convention(c) @Sendable (Handle?, Bytes?, Int, Bytes?, Int) -> Int32
    let buffers: OpenSSLBuffers
    let clearErrors: @convention(c) @Sendable () -> Void

    /// The library, or why it cannot be used.
    static let loaded = Result { try SigningLibrary() }

    private init() throws {
        let library = try OpenSSLFunctions("signatures need")
        newKeyContext = try library.function("EVP_PKEY_CTX_new_id")
        freeKeyContext = try library.function("EVP_PKEY_CTX_free")
        beginGenerating = try library.function("EVP_PKEY_keygen_init")
        generate = try library.function("EVP_PKEY_keygen")
        privateKey = try library.function("EVP_PKEY_new_raw_private_key")
        publicKey = try library.function("EVP_PKEY_new_raw_public_key")
        publicBytes = try library.function("EVP_PKEY_get_raw_public_key")
        // Its name in OpenSSL 3, and before.
        kind = try library.function("EVP_PKEY_get_id", "EVP_PKEY_id")
        freeKey = try library.function("EVP_PKEY_free")
        readPEM = try library.function("PEM_read_bio_PrivateKey")
        writePEM = try library.function("PEM_write_bio_PrivateKey")
        newDigest = try library.function("EVP_MD_CTX_new")
        freeDigest = try library.function("EVP_MD_CTX_free")
        beginSigning = try library.function("EVP_DigestSignInit")
        sign = try library.function("EVP_DigestSign")
        beginVerifying = try library.function("EVP_DigestVerifyInit")
        verify = try library.function("EVP_DigestVerify")
        buffers = try OpenSSLBuffers(library)
        clearErrors = try library.function("ERR_clear_error")
    }
}
