import Foundation
import PippinCrawl
import PippinPage

// What the signature of a request costs, in processor time: the whole of it, from the URL to the fields, and OpenSSL's part.
//
//     swift run -c release --package-path Benchmarks SigningBenchmark [SIGNATURES]

let count = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 20_000
guard count > 0, let directory = WebURL("https://bot.example.org/.well-known/http-message-signatures-directory") else {
    print("Usage: SigningBenchmark [SIGNATURES]")
    exit(2)
}
let key = try SigningKey.generated()
let signer = RequestSigner(key: key, directory: directory)
let urls = (0..<100).compactMap { WebURL("https://www.shop.example.org/products/\($0)/mug-blue.html?page=\($0)") }
// As long as the base of such a request.
let base = [UInt8](repeating: 0x61, count: 420)

/// Microseconds of processor time for one call.
func microseconds(_ work: (Int) throws -> Void) rethrows -> Double {
    func seconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
    for number in 0..<(count / 10) { try work(number) }
    let start = seconds()
    for number in 0..<count { try work(number) }
    return (seconds() - start) * 1e6 / Double(count)
}

let whole = try microseconds { number in
    let fields = try signer.fields(url: urls[number % urls.count], method: "GET", at: Date())
    precondition(fields.count == 3)
}
let inner = try microseconds { _ in
    let signature = try key.signature(of: base)
    precondition(signature.count == 64)
}
print(String(format: "a signed request: %.1f µs of processor time, of them %.1f µs in OpenSSL", whole, inner))
