import Lessons
import ScriptSyntax
import Testing

@Suite struct LessonCheckTests {
  /// Returns the messages for the first lesson with a part of its text changed.
  private func messages(_ old: String = "", _ new: String = "") throws -> [String] {
    var text = try LessonFiles.text("01-an-object-appears")
    if !old.isEmpty {
      try #require(text.contains(old))
      text = text.replacing(old, with: new)
    }
    return LessonCheck(LessonFiles.examiner)
      .problems(in: SourceText(name: "lesson.frc", text: text), named: "lesson").map(\.message)
  }

  @Test("a lesson as it is has no problem")
  func right() throws { #expect(try messages() == []) }

  @Test("an answer that is not what happens is found")
  func answer() throws {
    let found = try messages("-> [0, 0]", "-> [0, 1]")
    #expect(found.count == 2)
    #expect(
      found[0].hasPrefix(
        "the expected output under this statement is missing or different: it prints "
          + "'books willChangeContent; "))
    #expect(found[1].hasPrefix("the answer does not pass: "))
  }

  @Test("a wrong answer that passes, and one that fails for another reason, are found")
  func wrong() throws {
    #expect(
      try messages("#| update Book/1 [0, 0]", "#| insert Book/1 [0, 0]") == ["this answer passes"])
    #expect(
      try messages("#@ wrong created The", "#@ wrong kept-place The")
        == ["this answer fails because of 'created', not 'kept-place'"])
  }

  @Test("hints that lead nowhere are found")
  func hints() throws {
    #expect(
      try messages("#@ hint Write: insert Book/1 and then its index path [0, 0].\n", "")
        == ["expected three hints, found 2; write '#@ hint'"])
    #expect(
      try messages("Write: insert Book/1 and then its index path [0, 0].", "Think again, please.")
        == ["the last hint does not mention any part of the answer"])
    #expect(
      try messages(
        "#@ hint The list was empty, so the book is in the first row of the first section.",
        "#@ hint One book comes.")
        == ["hint 2 adds no new word"])
  }

  @Test("a rule that decides nothing, and parts that are missing, are found")
  func parts() throws {
    #expect(
      try messages("#@ covers created batch", "#@ covers created batch section-emptied")
        == ["nothing in this lesson is decided by the rule 'section-emptied'"])
    #expect(
      try messages("#@ lesson predict An", "#@ lesson guess An")
        == ["unknown kind of lesson 'guess'; there are predict, reach, mend, find"])
    #expect(
      try messages("#@ why", "# why")
        == ["expected '#@ why' and a sentence that says why the answer is right"])
    #expect(
      try messages("#@ lesson predict An object appears", "#@ tag x").first
        == "a lesson begins with '#@ lesson KIND TITLE'; write one of predict, reach, mend, find")
  }

  @Test("what is to be mended has to be broken")
  func mend() throws {
    let name = try #require(LessonFiles.names.first { $0.hasSuffix("mend-the-sections") })
    let text = try LessonFiles.text(name)
      .replacing("sectionInsert nothing\n", with: "sectionInsert insertSections\n")
      .replacing("sectionDelete nothing\n", with: "sectionDelete deleteSections\n")
    let problems = LessonCheck(LessonFiles.examiner)
      .problems(in: SourceText(name: "lesson.frc", text: text), named: name)

    #expect(
      problems.map(\.message).contains(
        "the statements below '#@ broken' follow every random turn; break one of them"))
  }
}
