/// What apps show when they have failed: with a file that they do not get, a request that is refused, or a mistake of their own.
enum AppErrorMessage {
    /// Of frameworks and their templates, and as people write it, in lower case.
    private static let phrases = [
        "application error", "something went wrong", "something broke", "unexpected error", "an error occurred",
        "an error has occurred", "an unknown error", "internal server error", "runtime error", "client-side exception",
        "failed to load", "failed to fetch", "unable to load", "could not be loaded", "couldn't load", "couldn’t load",
        "error loading", "loading failed", "network error", "loading chunk", "connection error", "try again later",
        "service unavailable", "temporarily unavailable",
        "etwas ist schiefgelaufen", "etwas ist schief gelaufen", "ein fehler ist aufgetreten",
        "es ist ein fehler aufgetreten",
        "une erreur est survenue", "une erreur s'est produite", "une erreur s’est produite",
        "algo salió mal", "algo ha salido mal", "se ha producido un error", "ha ocurrido un error", "ocurrió un error",
        "si è verificato un errore", "qualcosa è andato storto", "algo deu errado", "ocorreu um erro",
        "er is iets misgegaan", "er is een fout opgetreden", "något gick fel", "noget gik galt", "noe gikk galt",
        "jokin meni pieleen", "coś poszło nie tak", "wystąpił błąd", "něco se pokazilo", "bir hata oluştu",
        "bir şeyler ters gitti", "что-то пошло не так", "произошла ошибка", "щось пішло не так", "сталася помилка",
        "エラーが発生しました", "发生错误", "出错了", "發生錯誤", "오류가 발생", "문제가 발생", "حدث خطأ", "אירעה שגיאה", "משהו השתבש",
    ]

    /// A message stands alone: a page with more main text tells about errors, or has one beside its content.
    private static let maximumBytes = 600
    /// Where it begins.
    private static let maximumStart = 200

    /// The message that a page shows in place of its content; nil if it shows none.
    ///
    /// - Parameter earlier: the page before its scripts ran. What it said itself is no failure of theirs.
    static func words(of page: PageReading, notIn earlier: PageReading) -> String? {
        let main = page.facts.mainText.bytes
        guard main.count < maximumBytes else { return nil }
        let shown = String(decoding: main, as: UTF8.self)
        let title = page.facts.metadata.title ?? ""
        let places = [title, String(shown.prefix(maximumStart))].map { $0.lowercased() }
        guard let phrase = phrases.first(where: { phrase in places.contains { $0.contains(phrase) } }) else {
            return nil
        }
        let before = [
            earlier.facts.metadata.title ?? "", String(decoding: earlier.facts.visibleText.bytes, as: UTF8.self),
        ]
        guard !before.contains(where: { $0.lowercased().contains(phrase) }) else { return nil }
        return String((places[1].contains(phrase) ? shown : title).prefix(100))
    }
}
