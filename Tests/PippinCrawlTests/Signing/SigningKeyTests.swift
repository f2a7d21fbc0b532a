import Foundation
import PippinPage
import PippinTestSupport
import Testing

@testable import PippinCrawl

/// Files that people take for the key of their crawler.
@Suite struct SigningKeyTests {
    /// What each holds, and what its error says. All were made for this test.
    static let wrongFiles: [(name: String, text: String, says: String)] = [
        (
            "x25519.pem",
            """
            -----BEGIN PRIVATE KEY-----
            MC4CAQAwBQYDK2VuBCIEIMgx9qHzwC823EbI6QRj7pZA4FrUMkDMnoeT+hqFuMhM
            -----END PRIVATE KEY-----
            """, "the key's type is X25519"
        ),
        (
            "ed448.pem",
            """
            -----BEGIN PRIVATE KEY-----
            MEcCAQAwBQYDK2VxBDsEOQ8xIcKrUCVof4fInpGjiHW/V2Y21+Fv5QHQIf68CSdd
            Fr4d4q1JFB4Yw/kzAu6pb8La7NnngesmPw==
            -----END PRIVATE KEY-----
            """, "the key's type is Ed448"
        ),
        (
            "ec.pem",
            """
            -----BEGIN PRIVATE KEY-----
            MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgzchcWAg/iMT2wvxk
            CJ5vj3t5BGF8Yocy8uSBpp9L/QShRANCAAR1gsxS7v4Dzh95/hSZlYiHQsgvCsUx
            jvbHM+WnXiPdmUl0TtQmX9USNh/9JbWeP9Hy4gB6WSdaYVgpTlSnsr+S
            -----END PRIVATE KEY-----
            """, "the key's type is EC"
        ),
        (
            "rsa.pem",
            """
            -----BEGIN PRIVATE KEY-----
            MIIBVAIBADANBgkqhkiG9w0BAQEFAASCAT4wggE6AgEAAkEApnuS9ffYzd/XiDz+
            PO/KA/B5ki3x3yl+8bL1vzeWTAcA93JOAAzcHqZ5LSH+kpUpH+jDRyGJW3fG93eY
            Joh0xwIDAQABAkAzwiF7dRWjU983TPchzM76kI3LQ5t57PW5gRDj5Q1GDzr6MOX1
            sOmVJ8++vM8SX7xaQbUWyVaoA2ge9VoqjbyxAiEA0qN7bkUne3SMvCMOWNzpyJb4
            Pc/XZUIPQegHfAVGkxkCIQDKVcZy48HRHXmBc7Yew/hc2og4Q5ToAwSHy3VfcE0i
            3wIgOdO35yYFGNd+a4gUQEElzXPk4tNUhvAD0EwrAdlQ7sECIDRYipXQnKT4JiY6
            hGRjOM707ob33P9FQJfNKFl/mUUrAiEAuw5bCFN35SyHWQmYf1pVREP9JISCKzZt
            dmhnM0+1uu8=
            -----END PRIVATE KEY-----
            """, "the key's type is RSA"
        ),
        (
            "rsat.pem",
            """
            -----BEGIN RSA PRIVATE KEY-----
            MIIBOgIBAAJBAKZ7kvX32M3f14g8/jzvygPweZIt8d8pfvGy9b83lkwHAPdyTgAM
            3B6meS0h/pKVKR/ow0chiVt3xvd3mCaIdMcCAwEAAQJAM8Ihe3UVo1PfN0z3IczO
            +pCNy0Obeez1uYEQ4+UNRg86+jDl9bDplSfPvrzPEl+8WkG1FslWqANoHvVaKo28
            sQIhANKje25FJ3t0jLwjDljc6ciW+D3P12VCD0HoB3wFRpMZAiEAylXGcuPB0R15
            gXO2HsP4XNqIOEOU6AMEh8t1X3BNIt8CIDnTt+cmBRjXfmuIFEBBJc1z5OLTVIbw
            A9BMKwHZUO7BAiA0WIqV0Jyk+CYmOoRkYzjO9O6G99z/RUCXzShZf5lFKwIhALsO
            WwhTd+Ush1kJmH9aVURD/SSEgis2bXZoZzNPtbrv
            -----END RSA PRIVATE KEY-----
            """, "the key's type is RSA"
        ),
        (
            "pub.pem",
            """
            -----BEGIN PUBLIC KEY-----
            MCowBQYDK2VwAyEAEmouX2oBNR47FUadQshm6VxkhigyjXG11oUWRXArCy4=
            -----END PUBLIC KEY-----
            """, "holds a public key only"
        ),
        (
            "enc.pem",
            """
            -----BEGIN ENCRYPTED PRIVATE KEY-----
            MIGbMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAgwVDA4lHAwSQICCAAw
            DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEBqWjKZooJ7vFWy5wa+Rv1gEQOfi
            m+/1OofSKzSl3DnM3dA01/ocWrKm3JLZR66/V1QkDj+sSxYYTSX1NMAkf5YbenQy
            B1H2L/7KIk2x1nqz+3M=
            -----END ENCRYPTED PRIVATE KEY-----
            """, "the key is encrypted"
        ),
        (
            "rsaenc.pem",
            """
            -----BEGIN RSA PRIVATE KEY-----
            Proc-Type: 4,ENCRYPTED
            DEK-Info: AES-128-CBC,528ADCF40A529BD04D22FA67BA6AB2B8

            ISSpAIePoImH7mrdoeWnfhIENMyt9DcT+rp7ksNLKC2UnKCFQvYto5e3MgLKPQD6
            MEKU3/jZVeTTo+8HTIV2dPKv39kCRad5DUTVytPQuVzJOfztec4KwSBHyuRxufkn
            PpFrk220fdDfFd8qVLwFdJeoc8j+XZAiQh1IG4MKkqO/YzmzOx4bvoDMdrv0SKeZ
            A1Ku3AbxHcWE/E+h//gRf8r9nqSq4GQgzlZ7LvWzQzlduBzXdLFrCrmoDvaYBQOc
            paupCzqXM5rksD6xJZhUiuQ4Dpoc3nqDESDDijkKIbcvl9ZplgQ+xmsgY4B1Lfe3
            vtlTnEIaghi0wz0JddCkD4C47lsGO4ugUd37w6jo6oH15FTfu+sD84OFl/5K5l0g
            EBDgAzKJBnk1CNdbrqf+Lxz73NsUZ7cnfKf1ZZDzY2A=
            -----END RSA PRIVATE KEY-----
            """, "the key is encrypted"
        ),
        (
            "ssh",
            """
            -----BEGIN OPENSSH PRIVATE KEY-----
            b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW
            QyNTUxOQAAACAi9DISSdKWetp+rTQpnC+W6g0wq6zjW8EwdHlqUbevbgAAAIjJySBMyckg
            TAAAAAtzc2gtZWQyNTUxOQAAACAi9DISSdKWetp+rTQpnC+W6g0wq6zjW8EwdHlqUbevbg
            AAAECj/zXJBmBhBuIy3I1Kmlz+aLm5eMwhJt1M/hm9olcFDSL0MhJJ0pZ62n6tNCmcL5bq
            DTCrrONbwTB0eWpRt69uAAAAAXgBAgME
            -----END OPENSSH PRIVATE KEY-----
            """, "holds a key of OpenSSH"
        ),
        ("empty", "", "holds no key"),
        ("spaces", " \n\t", "holds no key"),
        ("words", "sesame, open", "holds no key"),
        (
            "certificate", "-----BEGIN CERTIFICATE-----\nMA==\n-----END CERTIFICATE-----",
            "holds no private key but: CERTIFICATE"
        ),
        ("cut", String(SignatureVectorTests.pem.prefix(70)), "OpenSSL cannot read the key"),
        ("long", String(repeating: "-----BEGIN PRIVATE KEY-----\n", count: 1000), "more than 16 KB"),
        ("no JSON", #"{"kty": "OKP", "d": n4Ni}"#, "is not valid JSON: line 1, column 21"),
        ("two values", SignatureVectorTests.jwk + "{}", "is not valid JSON"),
        ("nothing", "{}", "the key's type is missing"),
        ("a set", #"{"keys": [\#(SignatureVectorTests.jwk)]}"#, "holds a set of keys"),
        ("RSA", #"{"kty": "RSA", "n": "AQAB", "e": "AQAB", "d": "AQAB"}"#, "the key's type is RSA"),
        ("EC", #"{"kty": "EC", "crv": "P-256", "d": "AQAB"}"#, "the key's type is EC P-256"),
        ("a shared secret", #"{"kty": "oct", "k": "AQAB"}"#, "the key's type is oct"),
        ("X25519", #"{"kty": "OKP", "crv": "X25519", "d": "AQAB"}"#, "the key's type is OKP X25519"),
        ("numbers", #"{"kty": 1, "crv": [], "d": {}}"#, "the key's type is missing"),
        ("public", changed("d", nil), "holds a public key only"),
        ("d a number", changed("d", "1"), "holds a public key only"),
        ("d short", changed("d", #""AQAB""#), "\"d\" must be 32 bytes"),
        ("d long", changed("d", #""\#(String(repeating: "A", count: 44))""#), "\"d\" must be 32 bytes"),
        ("d padded", changed("d", #""n4Ni-HpISpVObnQMW0wOhCKROaIKqKtW_2ZYb2p9KcU=""#), "\"d\" must be 32 bytes"),
        ("d in base64", changed("d", #""n4Ni+HpISpVObnQMW0wOhCKROaIKqKtW/2ZYb2p9KcU""#), "\"d\" must be 32 bytes"),
        ("another x", changed("x", #""\#(String(repeating: "A", count: 43))""#), "\"x\" does not belong to \"d\""),
        ("no x", changed("x", nil), "\"x\" does not belong to \"d\""),
    ]

    /// The standard's JWK with another value of one key, or without it.
    private static func changed(_ key: String, _ value: String?) -> String {
        var members = [
            ("kty", #""OKP""#), ("crv", #""Ed25519""#), ("d", #""n4Ni-HpISpVObnQMW0wOhCKROaIKqKtW_2ZYb2p9KcU""#),
            ("x", #""JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs""#),
        ]
        members.removeAll { $0.0 == key }
        if let value { members.append((key, value)) }
        return "{" + members.map { "\"\($0.0)\": \($0.1)" }.joined(separator: ", ") + "}"
    }

    @Test(arguments: wrongFiles) func `a file that is no key says what it is`(
        file: (name: String, text: String, says: String)
    ) {
        let error = #expect(throws: ConfigurationError.self) { try SigningKey(text: file.text, file: "k") }
        #expect(error?.description.hasPrefix("k: ") == true)
        #expect(error?.problem.contains(file.says) == true, "\(error?.problem ?? "")")
        #expect(error?.exitStatus == .usage)
    }

    @Test func `a key with spaces, or behind other blocks, is read`() throws {
        let pem = SignatureVectorTests.pem
        let texts = [
            "\n  " + SignatureVectorTests.jwk + "\n", pem.replacing("\n", with: "\r\n") + "\r\n", "a comment\n" + pem,
            "-----BEGIN CERTIFICATE-----\nMA==\n-----END CERTIFICATE-----\n" + pem,
        ]
        for text in texts {
            #expect(try SigningKey(text: text, file: "k").publicKey == VerificationKey.ofStandard)
        }
    }

    @Test(arguments: [0o604, 0o644, 0o666, 0o777]) func `a key that everybody may read is refused`(rights: Int) throws {
        let file = try SecretFile(SignatureVectorTests.pem, rights: rights)
        let error = #expect(throws: ConfigurationError.self) { try SigningKey(contentsOf: file.path) }
        #expect(error?.problem == "every user of this machine may read this secret: chmod 600 \(file.path)")
    }

    @Test func `a key of its owner is read`() throws {
        let file = try SecretFile(SignatureVectorTests.jwk)
        #expect(try SigningKey(contentsOf: file.path).publicKey == VerificationKey.ofStandard)
        #expect(throws: ConfigurationError.self) { try SigningKey(contentsOf: file.path + ".missing") }
    }

    @Test func `a new key is another one, and comes back from its file`() throws {
        let (a, b) = (try SigningKey.generated(), try SigningKey.generated())
        #expect(a.publicKey != b.publicKey)
        let again = try SigningKey(text: String(decoding: a.pem(), as: UTF8.self), file: "k")
        #expect(again.publicKey == a.publicKey)
        let bytes = Array("text".utf8)
        #expect(try again.signature(of: bytes) == a.signature(of: bytes))
        #expect(try a.publicKey.verifies(again.signature(of: bytes), of: bytes))
        #expect(try !a.publicKey.verifies(again.signature(of: bytes), of: bytes + bytes))
        #expect(try !b.publicKey.verifies(again.signature(of: bytes), of: bytes))
        #expect(try !a.publicKey.verifies([], of: bytes))
    }

    @Test func `nothing prints a key`() throws {
        let key = try SigningKey(text: SignatureVectorTests.jwk, file: "k")
        var dumped = ""
        dump(key, to: &dumped)
        for text in ["\(key)", String(reflecting: key), dumped] {
            #expect(text.contains(SignatureVectorTests.thumbprint))
            #expect(!text.contains("n4Ni") && !text.contains("159, 131"))
        }
    }

    /// Hundreds of damaged files: each is a key or an error with the file's name, and no error has a part of the file.
    @Test(arguments: [SignatureVectorTests.pem, SignatureVectorTests.jwk])
    func `a damaged file is a key or an error without the secret`(whole: String) throws {
        var random = FixedRandom(seed: 38)
        let bytes = Array(whole.utf8)
        let secrets = ["MC4CAQAwBQYDK2VwBCIEIJ", "DYvh6SEqVTm50DFtM", "n4Ni-HpISpVObnQ", "MW0wOhCKROaIKqKtW"]
        var keys = 0
        for round in 0..<600 {
            var damaged = bytes
            switch round % 4 {
            case 0: damaged.removeLast(random.next(bytes.count))
            case 1: damaged.remove(at: random.next(damaged.count))
            case 2: damaged.insert(UInt8(random.next(256)), at: random.next(damaged.count))
            default: damaged[random.next(damaged.count)] = UInt8(random.next(128))
            }
            do {
                let key = try SigningKey(text: String(decoding: damaged, as: UTF8.self), file: "some.key")
                #expect(try key.publicKey.verifies(key.signature(of: damaged), of: damaged))
                keys += 1
            } catch let error as ConfigurationError {
                #expect(error.description.hasPrefix("some.key: "))
                #expect(!secrets.contains { error.description.contains($0) }, "\(error)")
            }
        }
        #expect(keys > 0 && keys < 500)
    }
}
