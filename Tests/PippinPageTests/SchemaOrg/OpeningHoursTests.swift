import Testing

@testable import PippinPage

@Suite struct OpeningHoursTests {
    @Test(arguments: [
        ("Mo-Fr 09:00-17:00", ["Mo-Fr 09:00-17:00"]), ("Mo,Tu,We 9:00-17:00", ["Mo-We 09:00-17:00"]),
        ("Mo-Su", ["Mo-Su 00:00-24:00"]), ("Mo-Su 00:00-23:59", ["Mo-Su 00:00-24:00"]),
        ("Monday - Friday: 9am - 5pm, Sat 10:00-14:00", ["Mo-Fr 09:00-17:00", "Sa 10:00-14:00"]),
        ("Mo 09:00-12:00, 13:00-17:00; Tu 09:00-12:00", ["Mo,Tu 09:00-12:00", "Mo 13:00-17:00"]),
        ("Fr-Mo 18:00-02:00", ["Mo,Fr-Su 18:00-02:00"]), ("Sa closed, Su 10.00–12.30", ["Su 10:00-12:30"]),
        ("Thurs 12 pm to 12 am", ["Th 12:00-00:00"]), ("Mo 24 hours", ["Mo 00:00-24:00"]),
    ])
    func `a text of hours`(text: String, hours: [String]) {
        var read = SchemaOrg.OpeningHours()
        let isRead = read.add(text)
        #expect(isRead)
        #expect(read.texts == hours)
    }

    @Test(arguments: [
        "", "always", "09:00-17:00", "Mo 9-5", "Mo 25:00-26:00", "Mo 09:70-10:00", "Mo-Fr 09:00",
        "Mo 9:00-17:00 by chance",
        "Mo 13pm-14pm", "Montag 9:00-17:00",
    ])
    func `a text that cannot be read adds nothing`(text: String) {
        var read = SchemaOrg.OpeningHours()
        let isRead = read.add(text)
        #expect(!isRead)
        #expect(read.texts.isEmpty)
    }
}
