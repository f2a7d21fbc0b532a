import CCurl

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
    let memoryMethod: @convention(c) @Sendable () -> Handle?
    let newBuffer: @convention(c) @Sendable (Handle?) -> Handle?
    let freeBuffer: @convention(c) @Sendable (Handle?) -> Int32
    let fill: @convention(c) @Sendable (Handle?, UnsafeRawPointer?, Int32) -> Int32
    let drain: @convention(c) @Sendable (Handle?, UnsafeMutableRawPointer?, Int32) -> Int32
    let pending: @convention(c) @Sendable (Handle?) -> Int
    let clearErrors: @convention(c) @Sendable () -> Void

    /// The library, or why it cannot be used.
    static let loaded = Result { try SigningLibrary() }

    private init() throws {
        if let trouble = pippin_curl_trouble() {
            throw ReportedFailure("signatures need libcurl's OpenSSL: \(String(cString: trouble)). Install it.", .usage)
        }
        func function<Function>(_ names: String...) throws -> Function {
            for name in names {
                if let symbol = pippin_curl_symbol(name) { return unsafeBitCast(symbol, to: Function.self) }
            }
            throw ReportedFailure(
                "signatures need OpenSSL 1.1.1 or later, and the installed libcurl brings no \(names[0]); install libcurl4",
                .usage)
        }
        newKeyContext = try function("EVP_PKEY_CTX_new_id")
        freeKeyContext = try function("EVP_PKEY_CTX_free")
        beginGenerating = try function("EVP_PKEY_keygen_init")
        generate = try function("EVP_PKEY_keygen")
        privateKey = try function("EVP_PKEY_new_raw_private_key")
        publicKey = try function("EVP_PKEY_new_raw_public_key")
        publicBytes = try function("EVP_PKEY_get_raw_public_key")
        // Its name in OpenSSL 3, and before.
        kind = try function("EVP_PKEY_get_id", "EVP_PKEY_id")
        freeKey = try function("EVP_PKEY_free")
        readPEM = try function("PEM_read_bio_PrivateKey")
        writePEM = try function("PEM_write_bio_PrivateKey")
        newDigest = try function("EVP_MD_CTX_new")
        freeDigest = try function("EVP_MD_CTX_free")
        beginSigning = try function("EVP_DigestSignInit")
        sign = try function("EVP_DigestSign")
        beginVerifying = try function("EVP_DigestVerifyInit")
        verify = try function("EVP_DigestVerify")
        memoryMethod = try function("BIO_s_mem")
        newBuffer = try function("BIO_new")
        freeBuffer = try function("BIO_free")
        fill = try function("BIO_write")
        drain = try function("BIO_read")
        pending = try function("BIO_ctrl_pending")
        clearErrors = try function("ERR_clear_error")
    }
}
