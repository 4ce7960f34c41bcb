import FetchedResults
import Foundation
import RepositoryFiles
import ScriptRuntime
import ScriptSyntax
import ScriptWorlds
import Testing

@Suite("models of Xcode")
struct ModelImportTests {
  /// Returns the `contents` of a model with these elements.
  private func contents(_ elements: String) -> [UInt8] {
    Array(
      """
      <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
      <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
      \(elements)
      </model>
      """.utf8)
  }

  private func fault(_ elements: String) -> String? {
    #expect(throws: ModelFileError.self) { try ModelFile(contents: contents(elements)) }?
      .description
  }

  @Test("every attribute type, with its default, its limits and its pattern")
  func attributes() throws {
    let file = try ModelFile(
      contents: contents(
        """
        <entity name="A">
          <attribute name="s" attributeType="String" defaultValueString="x" minValueString="1"
            maxValueString="9" regularExpressionString="[a-z]+"/>
          <attribute name="i16" optional="YES" attributeType="Integer 16" defaultValueString="0"/>
          <attribute name="i32" attributeType="Integer 32" minValueString="-3" maxValueString="4.0"/>
          <attribute name="i64" attributeType="Integer 64"/>
          <attribute name="d" attributeType="Double" defaultValueString="0.5"/>
          <attribute name="f" attributeType="Float" defaultValueString="0.25"/>
          <attribute name="n" attributeType="Decimal" defaultValueString="12.10"/>
          <attribute name="b" attributeType="Boolean" defaultValueString="YES"/>
          <attribute name="t" attributeType="Date" defaultDateTimeInterval="60"/>
          <attribute name="u" attributeType="UUID"
            defaultValueString="E621E1F8-C36C-495A-93FC-0C247A3E6E5F"/>
          <attribute name="l" attributeType="URI" defaultValueString="https://example.org/a"/>
          <attribute name="x" attributeType="Binary" optional="YES"/>
          <attribute name="y" attributeType="Binary" optional="YES"
            allowsExternalBinaryDataStorage="YES"/>
          <attribute name="o" attributeType="Transformable" optional="YES"/>
          <attribute name="p" attributeType="String" transient="YES" optional="YES"/>
          <attribute name="c" attributeType="String" derived="YES"
            derivationExpression="canonical:(s)"/>
          <userInfo><entry key="k" value="v"/></userInfo>
        </entity>
        """))
    #expect(
      file.entities.flatMap(\.scriptLines) == [
        "entity A {",
        "  s: String = \"x\" min 1 max 9 matching \"[a-z]+\"",
        "  i16: Int16? = 0",
        "  i32: Int32 min -3 max 4",
        "  i64: Int",
        "  d: Double = 0.5",
        "  f: Float = 0.25",
        "  n: Decimal = 12.1",
        "  b: Bool = true",
        "  t: Date = @2001-01-01T00:01:00Z",
        "  u: UUID = uuid(\"E621E1F8-C36C-495A-93FC-0C247A3E6E5F\")",
        "  l: URI = \"https://example.org/a\"",
        "  x: Data?",
        "  y: Data? external",
        "  o: Data?",
        "  transient p: String?",
        "  derived c: String = \"canonical:(s)\"",
        "}",
      ])
    #expect(file.notes == ["Transformable attributes are kept as bytes: A.o"])
    try expectReadBack(file)
  }

  private static let family = """
    <entity name="Cub" parentEntity="Cat">
      <relationship name="toys" optional="YES" toMany="YES" ordered="YES" minCount="2"
        maxCount="5" deletionRule="Cascade" destinationEntity="Toy" inverseName="cub"/>
      <relationship name="naps" toMany="YES" deletionRule="Deny" destinationEntity="Nap"
        inverseName="cub"/>
    </entity>
    <entity name="Cat" isAbstract="YES">
      <attribute name="name" attributeType="String"/>
      <attribute name="born" optional="YES" attributeType="Date"/>
      <uniquenessConstraints>
        <uniquenessConstraint><constraint value="name"/><constraint value="born"/>
        </uniquenessConstraint>
      </uniquenessConstraints>
    </entity>
    <entity name="Toy">
      <relationship name="cub" optional="YES" maxCount="1" deletionRule="No Action"
        destinationEntity="Cub" inverseName="toys"/>
      <relationship name="maker" maxCount="1" deletionRule="Nullify" destinationEntity="Cat"/>
    </entity>
    <entity name="Nap">
      <relationship name="cub" maxCount="1" deletionRule="Nullify" destinationEntity="Cub"
        inverseName="naps"/>
    </entity>
    <fetchRequest name="Named" entity="Cat" predicateString="name == $NAME" fetchLimit="3"/>
    <fetchRequest name="Young" entity="Cat" predicateString="born &gt; CAST(0, &quot;NSDate&quot;)"
      fetchBatchSize="5" includeSubentities="NO"/>
    """

  @Test("relationships, inheritance and constraints; a parent stands before its sub-entities")
  func relationships() throws {
    let file = try ModelFile(contents: contents(Self.family))
    #expect(
      file.entities.flatMap(\.scriptLines) == [
        "abstract entity Cat {",
        "  name: String",
        "  born: Date?",
        "  unique (name, born)",
        "}",
        "entity Cub : Cat {",
        "  toys: [Toy]? ordered min 2 max 5 inverse cub on delete cascade",
        "  naps: [Nap] min 1 inverse cub on delete deny",
        "}",
        "entity Toy {",
        "  cub: Cub? inverse toys on delete noAction",
        "  maker: Cat on delete nullify",
        "}",
        "entity Nap {",
        "  cub: Cub inverse naps",
        "}",
      ])
    #expect(file.notes == ["relationships have no inverse: Toy.maker"])
    #expect(file.requests["Named"]?.fetchLimit == 3)
    #expect(file.requests["Named"]?.predicate?.predicateFormat == "name == $NAME")
    try expectReadBack(file)
  }

  @Test("a broken file is one clear error")
  func faults() {
    for text in ["<entity", "<entity>", "</entity>", "<a b=1/>", "<a>&b;</a>"] {
      #expect(fault(text)?.hasSuffix("is not well-formed XML") == true, "\(text)")
    }
    #expect(fault("<entity/>") == "line 3: 'entity' has no 'name'")
    #expect(
      fault(
        """
        <entity name="A" parentEntity="B"/><entity name="B" parentEntity="C"/>
        <entity name="C" parentEntity="A"/>
        """) == "entities inherit from one another in a circle: A, B, C")
    #expect(
      fault("<entity name=\"A\" parentEntity=\"B\"/>")
        == "A inherits from 'B', which is not an entity")
    #expect(
      #expect(throws: ModelFileError.self) { try ModelFile(contents: Array("<plist/>".utf8)) }?
        .description == "it is not a model: its outermost element is 'plist'")
    #expect(throws: ModelFileError.self) { try ModelFile(contents: []) }
  }

  @Test("indexes of all forms are read, and those that no store can have are noted")
  func indexes() throws {
    let file = try ModelFile(
      contents: contents(
        """
        <entity name="Book">
          <attribute name="title" attributeType="String" indexed="YES"/>
          <attribute name="pages" attributeType="Integer 32"/>
          <attribute name="mood" optional="YES" transient="YES" attributeType="String"
            indexed="YES"/>
          <relationship name="author" optional="YES" maxCount="1" deletionRule="Nullify"
            destinationEntity="Book"/>
          <fetchIndex name="by pages">
            <fetchIndexElement property="pages" type="Binary" order="descending"/>
            <fetchIndexElement property="author" type="Binary" order="ascending"/>
          </fetchIndex>
          <fetchIndex name="near"><fetchIndexElement property="pages" type="RTree"/></fetchIndex>
          <fetchIndex name="length"><fetchIndexElement expression="title.length" type="Binary"/>
          </fetchIndex>
          <fetchIndex name="by pages"><fetchIndexElement property="pages"/></fetchIndex>
          <compoundIndexes>
            <compoundIndex><index value="pages"/><index value="title"/></compoundIndex>
            <compoundIndex><index value="title"/><index value="pages"/></compoundIndex>
          </compoundIndexes>
        </entity>
        <entity name="Manga" parentEntity="Book">
          <attribute name="volume" attributeType="Integer 16"/>
          <fetchIndex name="title"><fetchIndexElement property="title"/></fetchIndex>
        </entity>
        """))
    #expect(
      file.entities.flatMap(\.scriptLines) == [
        "entity Book {", "  title: String indexed", "  pages: Int32",
        "  transient mood: String?", "  author: Book? on delete nullify",
        "  index \"by pages\" (pages desc, author)", "  index compoundIndex (pages, title)",
        "  index compoundIndex2 (title, pages)", "}",
        "entity Manga : Book {", "  volume: Int16", "  index title (title)", "}",
      ])
    #expect(
      file.notes == [
        "relationships have no inverse: Book.author",
        "fetch indexes of type RTree are left out: Book.near",
        "indexes are left out unless a store can index all their properties: "
          + "Book.mood, Book.length",
        "indexes with the name of another are left out: Book.by pages",
      ])
    try expectReadBack(file)
  }

  @Test("what is not known, or not used, is noted once a kind")
  func notes() throws {
    let file = try ModelFile(
      contents: contents(
        """
        <entity name="A"><attribute name="a" attributeType="String"/>
          <wonder/><wonder/><fetchIndex name="i"/><fetchIndex name="j"/>
        </entity>
        <marvel/><configuration name="Default"/><elements/>
        """))
    #expect(
      file.notes == [
        "elements that are not known are passed over: marvel, wonder",
        "configurations are not used: Default",
        "indexes are left out unless a store can index all their properties: A.i, A.j",
      ])
  }

  @Test("the current version is the one that the property list names")
  func currentVersion() {
    let list = """
      <?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
      <plist version="1.0"><dict><key>_XCCurrentVersionName</key>
      <string>Moody 2.xcdatamodel</string></dict></plist>
      """
    #expect(ModelFile.currentVersion(of: Array(list.utf8)) == "Moody 2")
    #expect(ModelFile.currentVersion(of: Array("<plist/>".utf8)) == nil)
    #expect(ModelFile.currentVersion(of: []) == nil)
  }

  @Test("every model at hand is read, shown, and read back equal")
  func shared() throws {
    let folder = RepositoryFiles.shared
    var found = 0
    for part in ["models", "stores"] {
      let files = FileManager.default.enumerator(
        at: folder.appendingPathComponent(part), includingPropertiesForKeys: nil)
      for case let file as URL in files ?? .init() where file.lastPathComponent == "contents" {
        let bytes = try Data(contentsOf: file)
        let model = try ModelFile(contents: Array(bytes))
        #expect(!model.entities.isEmpty, "\(file.path)")
        try expectReadBack(model)
        found += 1
      }
    }
    if FileManager.default.fileExists(atPath: folder.path) { #expect(found > 10) }
  }

  /// Checks that a model's text as a script defines an equal model.
  private func expectReadBack(
    _ model: ModelFile, sourceLocation: Testing.SourceLocation = #_sourceLocation
  ) throws {
    let entities = model.entities
    let text = entities.flatMap(\.scriptLines).joined(separator: "\n")
    let lines = model.requests.map { RequestDefinition(request: $1).scriptLine(named: $0) }.filter {
      !$0.hasPrefix("#")
    }
    let world = try ScriptWorld(([text] + lines).joined(separator: "\n"))
    let again = world.session.entities
    #expect(again.map(\.facts) == entities.map(\.facts), sourceLocation: sourceLocation)
    #expect(
      again.flatMap(\.scriptLines).joined(separator: "\n") == text, sourceLocation: sourceLocation)
    for entity in again { try entity.checkReferences() }
    #expect(
      Set(world.session.requests.map { $1.scriptLine(named: $0) }) == Set(lines),
      sourceLocation: sourceLocation)
  }
}

/// Everything that a script can use of an entity.
private struct EntityFacts: Hashable {
  let name: String
  let parent: String?
  let isAbstract: Bool
  let attributes: [[String]]
  let values: [[PropertyValue]]
  let relationships: [RelationshipDescription]
  let constraints: [[String]]
  let indexes: Set<FetchIndexDescription>
  let display: String?
}

extension EntityDescription {
  fileprivate var facts: EntityFacts {
    EntityFacts(
      name: name, parent: superentity?.name, isAbstract: isAbstract,
      attributes: attributes.map {
        [
          $0.name, $0.type.rawValue, "\($0.isOptional)", "\($0.isTransient)",
          $0.expression?.text ?? "-", $0.limits.pattern ?? "-",
        ]
      },
      values: attributes.map { [$0.defaultValue, $0.limits.minimum, $0.limits.maximum] },
      relationships: relationships, constraints: uniquenessConstraints, indexes: Set(indexes),
      display: displayAttribute)
  }
}
