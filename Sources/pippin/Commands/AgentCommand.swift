import ArgumentParser
import Foundation
import PippinCrawl
import PippinPage

struct AgentCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "agent",
        abstract: "Makes and checks what says who the bot is: signing key, directory, bot page.",
        discussion: """
            Signed requests (Web Bot Auth) let sites verify who asks. agent init makes a key, the public directory, and a page \
            about the bot; put its folder "site" on a host of yours, and the printed lines into crawl-config.yaml.

            Examples:
              pippin agent init --site https://bot.example.org agent
              pippin agent sign agent --config crawl-config.yaml
              pippin agent check --config crawl-config.yaml
              pippin agent rotate agent
            """,
        subcommands: [Init.self, Sign.self, Check.self, Rotate.self])

    struct Init: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "init",
            abstract: "Makes a key, the directory of its public part, and a page about the bot.",
            discussion: """
                Writes keys/1.pem, which only its owner may read, and in the folder site what is to be public: \
                .well-known/http-message-signatures-directory and index.html. Nothing is replaced: if one of them exists, none is written.

                Examples:
                  pippin agent init --site https://bot.example.org agent
                  pippin agent init --site https://bot.example.org --address 192.0.2.0/28

                Exit status: 0 done, 2 usage, or a file exists, 6 a file could not be written.
                """)

        @Option(help: "The https origin at which the folder site will be served, such as https://bot.example.org.")
        var site: String

        @Option(name: .config, help: "Configuration of the job, for the bot's name, contact and robots.txt names.")
        var config: String?

        @Option(help: "The bot's name, as agent.product of a crawl. (default: that of the configuration, or Pippin)")
        var product: String?

        @Option(help: "URL or mail address where a site's owner reaches you. (default: that of the configuration)")
        var contact: String?

        @Option(
            name: .customLong("address"),
            help: "An address or range from which the bot asks, for its page; may be repeated.")
        var addresses: [String] = []

        @Option(help: "What the bot crawls for, as a sentence for its page.")
        var purpose = "It reads public pages to find those that open in apps, for a search index."

        @Argument(help: "The folder for all of it. It is created if it does not exist.")
        var folder = "agent"

        func run() throws {
            guard let url = WebURL(site), url.scheme == "https", url.path == "/", url.query == nil, url.fragment == nil,
                url.username.isEmpty, url.password.isEmpty,
                let directory = WebURL(CrawlConfiguration.Agent.Signing.directoryPath, base: url)
            else {
                throw ConfigurationError(
                    file: "--site", problem: "expected an https origin without path, like https://bot.example.org")
            }
            for address in addresses where !BotPage.isAddress(address) {
                throw ConfigurationError(
                    file: "--address", problem: "\"\(address)\" is neither an IP address nor a range like 192.0.2.0/28")
            }
            var job = try config.map { try CrawlConfiguration(contentsOf: $0) } ?? CrawlConfiguration()
            try job.take(product, over: \.agent, key: "agent.product", flag: "--product")
            try job.takeContact(contact)
            // The page that is made says who asks.
            let contact = job.agent.contact ?? url.href
            job.agent.contact = contact
            let files = AgentFolder(folder)
            let key = try SigningKey.generated()
            let page = BotPage(
                agent: job.agent, directory: directory, key: key.publicKey, purpose: purpose, addresses: addresses)
            let paths = try files.begin(key, page: Array(page.html.html.utf8))
            for path in paths { try StandardOutput.write("wrote \(path)\n") }
            let lines = [
                ("product", job.agent.product), ("contact", contact),
                ("signing_key", URL(filePath: paths[0]).path), ("directory", directory.href),
            ].map { "  \($0): \(ConfigurationSection.quoted($1))\n" }
            try StandardOutput.write("\nagent:\n" + lines.joined())
            writeError(
                """
                Serve \(files.sitePath) at \(url.href), the directory as \(KeyDirectory.mediaType), \
                and put the lines above into crawl-config.yaml. Then run: pippin agent check --config crawl-config.yaml
                """)
        }
    }

    struct Rotate: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rotate",
            abstract: "Makes the next key, and writes the directory with all keys of the folder.",
            discussion: """
                Publish the new directory and wait a day, until all copies of the old one are gone; then name the new key in \
                agent.signing_key. When no run uses the old key any more, remove its file and write the directory with --no-new-key.

                Examples:
                  pippin agent rotate agent
                  pippin agent rotate agent --no-new-key

                Exit status: 0 done, 2 usage, or there is no key, 6 a file could not be written.
                """)

        @Flag(name: .customLong("no-new-key"), help: "Only write the directory.")
        var makesNone = false

        @Argument(help: "The folder that pippin agent init has made.")
        var folder = "agent"

        func run() throws {
            let files = AgentFolder(folder)
            var keys = try files.keys()
            if !makesNone {
                let key = try SigningKey.generated()
                try StandardOutput.write("wrote \(files.add(key))\n")
                keys.append(key)
            }
            try files.makePublicFolders()
            let document = KeyDirectory(keys.map { KeyDirectory.Entry($0.publicKey) }).json()
            try WholeFile.write(document, to: files.directoryPath, what: "the directory", readers: .everyone)
            try StandardOutput.write("wrote \(files.directoryPath), \(Wording.count(keys.count, "key"))\n")
        }
    }

    struct Sign: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "sign",
            abstract: "Prints the header fields that prove whose the directory is.",
            discussion: """
                The server of the directory should send these fields with it: its digest, and a signature by each key. They are for \
                this file at this URL, and end after --valid-for: renew them before.

                Examples:
                  pippin agent sign agent --config crawl-config.yaml > fields.txt

                Exit status: 0 done, 2 usage, or there is no key.
                """)

        @Option(help: "The URL of the directory. (default: agent.directory of the configuration)")
        var directory: String?

        @Option(name: .config, help: "Configuration file of the job.")
        var config: String?

        @Option(name: .customLong("valid-for"), help: "How long the signatures count, up to 365d.")
        var life = "30d"

        @Argument(help: "The folder that pippin agent init has made.")
        var folder = "agent"

        func run() throws {
            let job = try config.map { try CrawlConfiguration(contentsOf: $0) }
            guard let url = directory.map({ WebURL($0) }) ?? job?.agent.signing?.directory, url.scheme == "https" else {
                throw ConfigurationError(
                    file: "command line",
                    problem: "give --config crawl-config.yaml, whose agent.directory is used, or --directory https://…")
            }
            guard let life = Duration(written: life), life >= .seconds(60), life <= .seconds(365 * 86_400) else {
                throw ConfigurationError(file: "--valid-for", problem: "expected a duration from 60s to 365d, like 30d")
            }
            let files = AgentFolder(folder)
            let fields = try KeyDirectory.fields(
                of: InputFile.bytes(at: files.directoryPath), at: url, keys: files.keys(), created: Date(), life: life)
            for (name, value) in fields { try StandardOutput.write("\(name): \(value)\n") }
        }
    }

    struct Check: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "check",
            abstract: "Tries what a site's edge would verify: directory, keys, signatures, bot page.",
            discussion: """
                The directory is fetched as verifiers do, politely and under our name. With a configuration, its key, names and page are \
                checked too. Each line begins with ok, advice or wrong.

                Examples:
                  pippin agent check --config crawl-config.yaml
                  pippin agent check https://bot.example.org/keys --address 192.0.2.1

                Exit status: 0 nothing is wrong, 1 something is, 2 usage or configuration.
                """)

        @Option(name: .config, help: "Configuration file of the job.")
        var config: String?

        @Option(
            name: .customLong("address"),
            help: "An address from which the bot asks, whose name is looked up and back; may be repeated.")
        var addresses: [String] = []

        @Argument(help: "The URL of the directory. (default: agent.directory of the configuration)")
        var url: String?

        @OptionGroup(title: "How it is fetched")
        var fetching: FetchOptions

        func run() async throws {
            let job = try config.map { try CrawlConfiguration(contentsOf: $0) }
            let configuration = try fetching.configuration(over: job)
            let given = try url.map { text in
                guard let url = WebURL(text), url.isHTTP else {
                    throw ConfigurationError(
                        file: "command line", problem: "\"\(text)\" must be the URL of a directory")
                }
                return url
            }
            guard let url = given ?? configuration.agent.signing?.directory else {
                throw ConfigurationError(
                    file: "command line", problem: "name the URL of a directory, or a --config with agent.directory")
            }
            let addresses = try addresses.map { text in
                guard let address = NetworkAddress(text) else {
                    throw ConfigurationError(file: "--address", problem: "\"\(text)\" is no IP address")
                }
                return address
            }
            let check = AgentCheck(agent: job == nil ? nil : configuration.agent, directory: url, addresses: addresses)
            // Verifiers do not sign, and whoever wants to know who the bot is need not either.
            let lines = try await fetching.fetching(configuration, signingFor: NamedSites()) { single in
                var check = check
                return await check.run(&single)
            }
            try StandardOutput.write(lines.map { "\($0)\n" }.joined())
            if lines.contains(where: { $0.verdict == .wrong }) { throw ExitCode(1) }
        }
    }
}
