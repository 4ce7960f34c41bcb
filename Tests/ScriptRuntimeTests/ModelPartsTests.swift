import Basics
import FetchedResults
import Foundation
import RandomLaws
import ScriptRuntime
import ScriptWorlds
import Testing

/// Unusual or unusable parts of Xcode models.
///
/// Each one is skipped with a note, and the rest of the model is read.
@Suite("Unusual parts of Xcode models")
struct ModelPartsTests {
  private func read(_ elements: String) throws -> ModelFile {
    try ModelFile(contents: Array("<model>\n\(elements)\n</model>".utf8))
  }

  private func lines(_ file: ModelFile) -> [String] { file.entities.flatMap(\.scriptLines) }

  @Test("an attribute without a type is left out")
  func untyped() throws {
    let file = try read(
      """
      <entity name="A">
        <attribute name="nonce" optional="YES" transient="YES"/>
        <attribute name="other" optional="YES" transient="YES" attributeType="Undefined"/>
        <attribute name="s" attributeType="String"/>
        <attribute attributeType="String"/>
        <uniquenessConstraints><uniquenessConstraint><constraint value="nonce"/>
        </uniquenessConstraint></uniquenessConstraints>
      </entity>
      """)
    #expect(lines(file) == ["entity A {", "  s: String", "}"])
    #expect(
      file.notes == [
        "attributes without a type are left out: A.nonce, A.other",
        "properties without a name are left out: A, line 6",
        "uniqueness constraints are left out unless all their properties are stored attributes: A (nonce)",
      ])
  }

  @Test("transient relationships are transient in the model, too")
  func transient() throws {
    let file = try read(
      """
      <entity name="A">
        <relationship name="next" optional="YES" transient="YES" destinationEntity="A"
          inverseName="previous"/>
        <relationship name="previous" optional="YES" transient="YES" toMany="YES"
          destinationEntity="A" inverseName="next"/>
      </entity>
      """)
    let text = [
      "entity A {", "  transient next: A? inverse previous",
      "  transient previous: [A] inverse next", "}",
    ]
    #expect(lines(file) == text)
    #expect(file.notes == [])
    #expect(
      try ScriptWorld(text.joined(separator: "\n")).session.entities.flatMap(\.scriptLines) == text)
  }

  @Test("renaming identifiers are shown as a script can read them, and not if nothing was renamed")
  func identifiers() throws {
    let file = try read(
      """
      <entity name="Chat" elementID="timeout">
        <attribute name="a" attributeType="String" elementID="a"/>
        <attribute name="b" attributeType="String" elementID="Old \\(title), &quot;first&quot;"/>
        <attribute name="c" attributeType="String" elementID="7"/>
        <relationship name="next" optional="YES" destinationEntity="Chat" elementID="next"/>
        <relationship name="was" optional="YES" destinationEntity="Chat" elementID="is"/>
      </entity>
      <entity name="Note" elementID="Note"/>
      """)
    let text = [
      "entity Chat was timeout {", "  a: String",
      #"  b: String was "Old \\(title), \"first\"""#, #"  c: String was "7""#,
      "  next: Chat? on delete nullify", "  was: Chat? was is on delete nullify", "}",
      "entity Note { }",
    ]
    #expect(lines(file) == text)
    let again = try ScriptWorld(text.joined(separator: "\n")).session.entities
    #expect(again.flatMap(\.scriptLines) == text)
    #expect(
      again[0].attributes.map(\.renamingIdentifier)
        == file.entities[0].attributes.map(\.renamingIdentifier))
  }

  @Test("random indexes with any names are read back as they were")
  func indexes() throws {
    let names = ["by title", "é", "a\"b", "index", "title", "1", "x\ny", "\\(title)", "desc"]
    for seed in LawSeeds(seconds: 0.3) {
      var random = SeededGenerator(seed: seed)
      let properties = ["title", "pages", "desc", "author"]
      let indexes = names.shuffled(using: &random)
        .prefix(Int.random(in: 0...4, using: &random)).map { name in
          let count = Int.random(in: 1...3, using: &random)
          return FetchIndexDescription(
            name: name,
            elements: properties.shuffled(using: &random).prefix(count).map {
              FetchIndexElementDescription(
                propertyName: $0, isAscending: Bool.random(using: &random))
            })
        }
      let entity = try EntityDescription(
        name: "Book",
        attributes: [
          AttributeDescription(name: "title", type: .string),
          AttributeDescription(name: "pages", type: .integer64),
          AttributeDescription(name: "desc", type: .string),
        ],
        relationships: [RelationshipDescription(name: "author", destination: "Book")],
        indexes: indexes)
      let again = try ScriptWorld(entity.scriptLines.joined(separator: "\n")).session.entities
      try #require(
        Set(again.first?.indexes ?? []) == Set(indexes), "seed \(seed): \(entity.scriptLines)")
      try #require(again.first?.scriptLines == entity.scriptLines, "seed \(seed)")
    }
  }

  @Test("an index without a name is left out")
  func namelessIndex() throws {
    let file = try read(
      """
      <entity name="A"><attribute name="x" attributeType="String"/>
        <fetchIndex name=""><fetchIndexElement property="x"/></fetchIndex></entity>
      """)
    #expect(lines(file) == ["entity A {", "  x: String", "}"])
    #expect(file.notes == ["indexes without a name are left out: A"])
  }

  @Test("properties may have the name of any word of the language")
  func words() throws {
    let words = """
      insert fetch let if for model request show store transient derived display unique on inverse
      ordered external was min max matching nil true self entity abstract delete index indexed asc
      desc
      """
    for word in words.split(whereSeparator: \.isWhitespace) {
      let file = try read(
        """
        <entity name="A"><attribute name="x" attributeType="String"/>
          <attribute name="\(word)" attributeType="String" elementID="old" indexed="YES"/>
          <fetchIndex name="i \(word)"><fetchIndexElement property="x"/>
            <fetchIndexElement property="\(word)" order="descending"/></fetchIndex>
          <fetchIndex name="\(word)s"><fetchIndexElement property="\(word)"/></fetchIndex>
        </entity>
        """)
      let text = lines(file)
      #expect(
        try ScriptWorld(text.joined(separator: "\n")).session.entities.flatMap(\.scriptLines)
          == text, "\(word)")
    }
  }

  @Test(
    "where one side of a pair is transient, the column of the to-one side decides",
    arguments: [
      (
        one: true, many: false,
        text: ["  transient b: B? inverse as", "  transient as: [A] inverse b"]
      ),
      (one: false, many: true, text: ["  b: B? inverse as", "  as: [A] inverse b"]),
    ] as [(one: Bool, many: Bool, text: [String])])
  func halfTransient(one: Bool, many: Bool, text: [String]) throws {
    let file = try read(
      """
      <entity name="A"><relationship name="b" optional="YES" destinationEntity="B"
        inverseName="as"\(one ? " transient=\"YES\"" : "")/></entity>
      <entity name="B"><relationship name="as" optional="YES" toMany="YES" destinationEntity="A"
        inverseName="b"\(many ? " transient=\"YES\"" : "")/></entity>
      """)
    #expect(lines(file).filter { $0.hasPrefix(" ") } == text)
    #expect(file.notes == [])
  }

  @Test("two to-one relationships of which one is transient are no pair")
  func halfTransientPair() throws {
    let file = try read(
      """
      <entity name="A"><relationship name="b" optional="YES" destinationEntity="B"
        inverseName="a" transient="YES"/></entity>
      <entity name="B"><relationship name="a" optional="YES" destinationEntity="A"
        inverseName="b"/></entity>
      """)
    #expect(file.entities.flatMap(\.relationships).allSatisfy { $0.inverse == nil })
    #expect(file.notes == ["inverses that do not lead back are ignored: A.b, B.a"])
  }

  @Test("defaults that Xcode accepts are read: truth values of numbers, numbers of Booleans")
  func defaults() throws {
    let types = ["Integer 16", "Integer 64", "Double", "Float", "Decimal", "Boolean"]
    for (text, number) in [("NO", 0), ("YES", 1), ("0.0", 0), ("1.0", 1), ("true", 1)] {
      let file = try read(
        "<entity name=\"A\">"
          + types.enumerated().map { index, type in
            "<attribute name=\"a\(index)\" attributeType=\"\(type)\" "
              + "defaultValueString=\"\(text)\"/>"
          }.joined() + "</entity>")
      let entity = try #require(file.entities.first)
      #expect(file.notes == [])
      let number = Int64(number)
      #expect(
        entity.attributes.map(\.defaultValue) == [
          .int(number), .int(number), .double(Double(number)), .double(Double(number)),
          .decimal(Decimal(number)), .bool(number == 1),
        ])
    }
    let odd = try read(
      """
      <entity name="A"><attribute name="i" attributeType="Integer 32" defaultValueString="0.5"/>
      <attribute name="b" attributeType="Boolean" defaultValueString="maybe"/>
      <attribute name="d" attributeType="Double" defaultValueString="inf"/>
      <attribute name="t" attributeType="Date" defaultDateTimeInterval="nan"/></entity>
      """)
    #expect(
      odd.notes == [
        "values that cannot be read are left out: A.i \"0.5\", A.b \"maybe\", A.d \"inf\", "
          + "A.t \"nan\""
      ])
  }

  @Test("an inverse that does not lead back is ignored, on both sides")
  func inverses() throws {
    let file = try read(
      """
      <entity name="A">
        <relationship name="b" optional="YES" destinationEntity="B" inverseName="a"/>
        <relationship name="c" optional="YES" destinationEntity="B" inverseName="nothing"/>
        <relationship name="lost" optional="YES" destinationEntity="Z" inverseName="a"/>
        <relationship name="nowhere" optional="YES"/>
      </entity>
      <entity name="B">
        <relationship name="a" optional="YES" toMany="YES" destinationEntity="B" inverseName="a"/>
        <relationship name="right" optional="YES" destinationEntity="C" inverseName="bs"/>
      </entity>
      <entity name="C">
        <relationship name="bs" optional="YES" toMany="YES" destinationEntity="B"
          inverseName="right"/>
        <relationship name="more" optional="YES" toMany="YES" destinationEntity="B"
          inverseName="right"/>
      </entity>
      """)
    #expect(
      lines(file) == [
        "entity A {", "  b: B? on delete nullify", "  c: B? on delete nullify", "}",
        "entity B {", "  a: [B] inverse a", "  right: C? inverse bs", "}",
        "entity C {", "  bs: [B] inverse right", "  more: [B]", "}",
      ])
    #expect(
      file.notes == [
        "relationships that lead to no entity are left out: A.nowhere, A.lost",
        "inverses that do not lead back are ignored: A.b, A.c, C.more",
      ])
    for entity in file.entities { #expect(throws: Never.self) { try entity.checkReferences() } }
  }

  @Test("an inverse that leads back to a parent or an heir of the entity only is ignored")
  func inheritedInverses() throws {
    let file = try read(
      """
      <entity name="Cat"><relationship name="toys" optional="YES" toMany="YES"
        destinationEntity="Toy" inverseName="cub"/></entity>
      <entity name="Cub" parentEntity="Cat"/>
      <entity name="Toy"><relationship name="cub" optional="YES" destinationEntity="Cub"
        inverseName="toys"/></entity>
      """)
    #expect(file.notes == ["inverses that do not lead back are ignored: Cat.toys, Toy.cub"])
  }

  @Test("a name that is taken is left out the second time")
  func duplicates() throws {
    let file = try read(
      """
      <entity name="B" parentEntity="A"><attribute name="a" attributeType="String"/>
        <attribute name="b" attributeType="String"/></entity>
      <entity name="A"><attribute name="a" attributeType="Date"/>
        <relationship name="a" destinationEntity="B"/></entity>
      """)
    #expect(lines(file).filter { $0.hasPrefix(" ") } == ["  a: Date", "  b: String"])
    #expect(file.notes == ["properties of a name that is taken are left out: A.a, B.a"])
  }

  @Test("what tells versions apart is noted, once for each kind")
  func versions() throws {
    let file = try read(
      """
      <entity name="A" versionHashModifier="2" elementID="Old">
        <attribute name="a" attributeType="String" versionHashModifier="1" elementID="b"/>
        <relationship name="r" destinationEntity="A" elementID="s" inverseName="r"/>
      </entity>
      """)
    #expect(file.notes == ["version hash modifiers are not used: A, A.a"])
    #expect(file.entities.map(\.renamingIdentifier) == ["Old"])
    #expect(file.entities[0].attributes.map(\.renamingIdentifier) == ["b"])
    #expect(file.entities[0].relationships.map(\.renamingIdentifier) == ["s"])
    #expect(file.entities[0].renamingIdentifier == "Old")
  }

  @Test("a note lists a dozen names and counts the rest")
  func manyNames() throws {
    func note(_ count: Int) throws -> String? {
      try read(
        "<entity name=\"A\">"
          + (1...count).map { "<attribute name=\"a\($0)\"/>" }.joined() + "</entity>"
      ).notes.first
    }
    let dozen = (1...12).map { "A.a\($0)" }.joined(separator: ", ")
    #expect(try note(13) == "attributes without a type are left out: \(dozen), A.a13")
    #expect(try note(14) == "attributes without a type are left out: \(dozen) and 2 more")
  }

  @Test("reading takes time linear in what is left out, and in the number of entities")
  func linear() throws {
    func text(_ count: Int, _ part: (Int) -> String) -> String { (0..<count).map(part).joined() }
    try expectLinear { count in
      _ = try read(
        "<entity name=\"A\">"
          + text(count) { "<attribute name=\"a\($0)\" attributeType=\"Composite\"/>" }
          + "</entity>")
    }
    try expectLinear { count in
      _ = try read(
        text(count) {
          "<entity name=\"E\($0)\"><relationship name=\"next\" destinationEntity=\"E0\"/></entity>"
        })
    }
  }

  /// Checks that an input of four times the size takes much less than sixteen times as long.
  ///
  /// It tries several times, because another program may take the processor's caches.
  private func expectLinear(_ body: (Int) throws -> Void) throws {
    var ratio = 0.0
    for _ in 0..<5 {
      let short = try ThreadClock.measure { try body(1_000) }
      let long = try ThreadClock.measure { try body(4_000) }
      ratio = long / short
      if ratio < 8 { return }
    }
    Issue.record("four times as much takes \(ratio) times as long")
  }

  @Test("a long line of inheritance is refused before it fills the memory")
  func tooManyInherited() {
    let entities = (0..<3_000).map { index in
      "<entity name=\"E\(index)\""
        + (index == 0 ? "" : " parentEntity=\"E\(index - 1)\"")
        + "><attribute name=\"a\(index)\" attributeType=\"String\"/></entity>"
    }
    #expect(throws: ModelFileError.tooLarge) { try read(entities.joined()) }
  }
}
