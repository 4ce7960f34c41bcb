import FetchedResults
import Foundation
import Testing

/// Models that Xcode saved, read by a client.
@Suite("Xcode models")
struct XcodeModelTests {
  private let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("XcodeModelTests-\(UUID().uuidString)")

  private func contents(_ entity: String) -> Data {
    Data(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <model type="com.apple.IDECoreDataModeler.DataModel">
        <entity name="\(entity)" syncable="YES">
          <attribute name="title" attributeType="String"/>
        </entity>
      </model>
      """.utf8)
  }

  private func write(_ data: Data, to path: String) throws {
    let url = folder.appendingPathComponent(path)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try data.write(to: url)
  }

  @Test("one version, by its own folder or the one around it")
  func single() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try write(contents("Book"), to: "A.xcdatamodeld/A.xcdatamodel/contents")
    let around = try XcodeModel(contentsOf: folder.appendingPathComponent("A.xcdatamodeld"))
    #expect(around.managedObjectModel.entitiesByName["Book"]?.attributes.map(\.name) == ["title"])
    #expect(around.version == "A")
    let own = try ManagedObjectModel(
      contentsOf: folder.appendingPathComponent("A.xcdatamodeld/A.xcdatamodel"))
    #expect(own.entities.map(\.name) == ["Book"])
    #expect(try XcodeModel(contents: contents("Book")).version == nil)
  }

  @Test("several versions")
  func versions() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let url = folder.appendingPathComponent("A.xcdatamodeld")
    try write(contents("Book"), to: "A.xcdatamodeld/A.xcdatamodel/contents")
    try write(contents("Volume"), to: "A.xcdatamodeld/A 2.xcdatamodel/contents")
    #expect(throws: XcodeModelError.noCurrentVersion(path: url.path, versions: ["A", "A 2"])) {
      try XcodeModel(contentsOf: url)
    }
    #expect(
      try XcodeModel(contentsOf: url, version: "A 2").managedObjectModel.entities.map(\.name)
        == ["Volume"])
    #expect(
      throws: XcodeModelError.unknownVersion("B", path: url.path, versions: ["A", "A 2"])
    ) {
      try XcodeModel(contentsOf: url, version: "B")
    }
    let list = """
      <?xml version="1.0" encoding="UTF-8"?>
      <plist version="1.0"><dict>
        <key>_XCCurrentVersionName</key><string>A 2.xcdatamodel</string>
      </dict></plist>
      """
    try write(Data(list.utf8), to: "A.xcdatamodeld/.xccurrentversion")
    #expect(try XcodeModel(contentsOf: url).version == "A 2")
  }

  @Test("what cannot be read says why")
  func refused() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let missing = folder.appendingPathComponent("B.xcdatamodeld")
    #expect(throws: XcodeModelError.self) { try XcodeModel(contentsOf: missing) }
    try write(Data(), to: "C.momd/C.mom")
    let compiled = folder.appendingPathComponent("C.momd")
    let error = #expect(throws: XcodeModelError.invalid(path: compiled.path, .binaryModel)) {
      try XcodeModel(contentsOf: compiled)
    }
    #expect(error?.localizedDescription.contains("binary archive") == true)
    #expect(throws: XcodeModelError.self) { try XcodeModel(contents: Data("<plist/>".utf8)) }
  }
}
