import EngineWorlds
import FetchedResults
import FetchedResultsSQLite
import Foundation
import Testing

/// Data that Core Data may keep in files beside the store.
@Suite("External binary data")
struct ExternalDataTests {
  private let folder = StoreFolder()
  private static let name = "0E7D4F2B-7C5E-4B0A-9A25-4E1D5C1B1A01"

  private func open(
    isReadOnly: Bool = false, isOptional: Bool = true
  ) throws -> ManagedObjectContext {
    let model = try ManagedObjectModel(entities: [
      EntityDescription(
        name: "Photo",
        attributes: [
          .optional("title", .string),
          try AttributeDescription(
            name: "data", type: .binaryData, isOptional: isOptional,
            allowsExternalBinaryDataStorage: true),
        ])
    ])
    return try folder.context(model, isReadOnly: isReadOnly)
  }

  /// Creates a store like Core Data's: a row with its data, one with a file, and one without data.
  private func makeStore(fileName: String = name, contents: Data? = Data([9, 8, 7])) throws {
    try makeRows(fileName: fileName)
    try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
    try contents?.write(to: files.appendingPathComponent(Self.name))
  }

  private func makeRows(fileName: String = name) throws {
    _ = try open()
    let text = fileName.utf8.map { String(format: "%02x", $0) }.joined()
    try folder.execute(
      """
      INSERT INTO ZPHOTO (Z_PK, Z_ENT, Z_OPT, ZTITLE, ZDATA) VALUES
        (1, 1, 1, 'inside', x'010203'), (2, 1, 1, 'outside', x'02\(text)00'),
        (3, 1, 1, 'none', NULL), (4, 1, 1, 'empty', x'01');
      UPDATE Z_PRIMARYKEY SET Z_MAX = 4;
      """)
  }

  private var files: URL { folder.url.appendingPathComponent(".library_SUPPORT/_EXTERNAL_DATA") }

  private func columns() throws -> [String] {
    try folder.lines("SELECT ZDATA FROM ZPHOTO ORDER BY Z_PK")
  }

  @Test("data inside the row and in a file is read", arguments: [false, true])
  func reading(isReadOnly: Bool) throws {
    try makeStore()
    let photos = try open(isReadOnly: isReadOnly).fetch(named: "Photo")
    #expect(
      photos.map { $0["data"] } == [
        .data(Data([2, 3])), .data(Data([9, 8, 7])), .null, .data(Data()),
      ])
  }

  @Test("the copy of a store has copies of its files, and of nothing else")
  func copying() throws {
    try makeStore()
    let copies = folder.url.appendingPathComponent("copies/.library_SUPPORT/_EXTERNAL_DATA")
    let copy = folder.url.appendingPathComponent("copies/library.sqlite")
    try FileManager.default.createDirectory(
      at: copy.deletingLastPathComponent(), withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: files.path + "/link", withDestinationPath: folder.file().path)
    #expect(mkfifo(files.path + "/pipe", 0o600) == 0)
    let before = try FileManager.default.subpathsOfDirectory(atPath: folder.url.path).sorted()

    try SQLiteStore.copy(folder.file().path, to: copy.path)

    #expect(try FileManager.default.contentsOfDirectory(atPath: copies.path) == [Self.name])
    let copied = copies.appendingPathComponent(Self.name)
    #expect(try Data(contentsOf: copied) == Data([9, 8, 7]))
    #expect(try folder.lines("SELECT ZDATA FROM ZPHOTO", in: "copies/library.sqlite").count == 4)
    try FileManager.default.removeItem(at: copies)
    let after = try FileManager.default.subpathsOfDirectory(atPath: folder.url.path).sorted()
    #expect(after.filter { !$0.hasPrefix("copies/") } == before)
  }

  @Test("data is written with the marker, and a file that has it already stays")
  func writing() throws {
    try makeStore()
    let before = try columns()
    let context = try open()
    for photo in try context.fetch(named: "Photo") { try photo.setValue("new", forKey: "title") }
    _ = try context.insert("Photo", ["data": .data(Data([5, 6]))])
    try context.save()
    #expect(try columns() == before + ["010506"])

    try context.fetch(named: "Photo")[1].setValue(.data(Data([1])), forKey: "data")
    try context.save()
    #expect(try columns()[1] == "0101")
  }

  @Test("predicates and sorts look at the data, not at what the column holds")
  func predicates() throws {
    try makeStore()
    let context = try open()
    let photo = try context.entity("Photo")
    func titles(_ predicate: FetchPredicate?, by key: String? = nil) throws -> [PropertyValue] {
      try context.fetch(
        FetchRequest(
          entity: photo, predicate: predicate,
          sortDescriptors: key.map { [FetchSortDescriptor(key: $0)] } ?? [])
      ).map { $0["title"] }
    }
    let data = PropertyValue.data(Data([9, 8, 7]))
    #expect(
      try titles(FetchPredicate(format: "data == %@", data)) == ["outside"])
    #expect(
      try titles(FetchPredicate(format: "data IN %@", PropertyValue.list([data]))) == ["outside"])
    #expect(
      try titles(FetchPredicate(format: "data < %@", data)) == ["inside", "none", "empty"]
        || titles(FetchPredicate(format: "data < %@", data)) == ["inside", "empty"])
    #expect(try titles(FetchPredicate(format: "data == nil")) == ["none"])
    #expect(try titles(nil, by: "data") == ["none", "empty", "inside", "outside"])
  }

  private func reason(_ body: () throws -> Void) -> String? {
    do {
      try body()
      return nil
    } catch {
      return "\(error)".replacing("cannot use the store 'library.sqlite': ", with: "")
    }
  }

  private static let path = ".library_SUPPORT/_EXTERNAL_DATA/\(name)"

  /// Returns the error of reading every photo's data.
  private func reasonOfReading(_ context: ManagedObjectContext) -> String? {
    reason {
      for photo in try context.fetch(named: "Photo") { _ = photo["data"] }
      if let failure = context.persistentStoreCoordinator.takeReadFailure() { throw failure }
    }
  }

  @Test("a file that is missing is an error only where its data is read")
  func missing() throws {
    try makeStore(contents: nil)
    let before = try columns()
    let context = try open()
    let photos = try context.fetch(named: "Photo")
    #expect(photos.map { $0["title"].string } == ["inside", "outside", "none", "empty"])
    #expect(context.persistentStoreCoordinator.takeReadFailure() == nil)
    #expect(
      reasonOfReading(context)
        == "ZDATA of row 2 of ZPHOTO names the file '\(Self.path)', which is missing")
    // The reference stays when the row is written, before and after the failure.
    for title in ["new", "newer"] {
      try photos[1].setValue(.string(title), forKey: "title")
      try context.save()
      #expect(try columns() == before)
      _ = photos[1]["data"]
      _ = context.persistentStoreCoordinator.takeReadFailure()
    }
    // The file is read as soon as it is there.
    try Data([9, 8, 7]).write(to: files.appendingPathComponent(Self.name))
    #expect(photos[1]["data"] == .data(Data([9, 8, 7])))
  }

  @Test("what does not need the data does not read it")
  func unneeded() throws {
    try makeStore(contents: nil)
    try folder.execute("DELETE FROM ZPHOTO WHERE ZDATA IS NULL")
    let context = try open(isOptional: false)
    let photo = try context.entity("Photo")
    let controller = try context.controller(of: photo, where: "data != nil", by: ["title"])
    try controller.performFetch()
    let outside = try #require(controller.fetchedObjects?.last)
    try outside.setValue("renamed", forKey: "title")
    #expect(outside.changedValues().keys.sorted() == ["title"])
    try context.save()
    #expect(controller.fetchedObjects?.count == 3)
    #expect(context.persistentStoreCoordinator.takeReadFailure() == nil)
    // Neither does a value that replaces it.
    try outside.setValue(.data(Data([1])), forKey: "data")
    #expect(outside.changedValues().keys.sorted() == ["data"])
    try context.save()
    #expect(context.persistentStoreCoordinator.takeReadFailure() == nil)
    #expect(try columns().contains("0101"))
  }

  @Test("another process's file is another value, also where neither can be read")
  func replacedFile() throws {
    try makeStore(contents: nil)
    let context = try open()
    context.mergePolicy = .mergeByPropertyObjectTrump
    let photo = try context.fetch(named: "Photo")[1]
    #expect(photo["title"] == "outside")
    let other = "1" + Self.name.dropFirst()
    let hex = other.utf8.map { String($0, radix: 16) }.joined()
    try folder.execute("UPDATE ZPHOTO SET ZDATA = x'02\(hex)00', Z_OPT = 2 WHERE Z_PK = 2")
    try photo.setValue("new", forKey: "title")
    try context.save()
    #expect(try columns()[1] == "02\(hex)00")
  }

  @Test("an own step of a migration does not take a missing file for no data")
  func missingInStep() throws {
    try makeStore(contents: nil)
    let model = try ManagedObjectModel(entities: [
      EntityDescription(
        name: "Photo",
        attributes: [
          .optional("title", .string), .optional("size", .integer64),
          try AttributeDescription(
            name: "data", type: .binaryData, isOptional: true, allowsExternalBinaryDataStorage: true
          ),
        ])
    ])
    let step: MigrationStep = { photo in
      if case .data(let data)? = photo.oldValue(forKey: "data") {
        try photo.setValue(.int(Int64(data.count)), forKey: "size")
      }
    }
    let before = try columns()
    #expect(
      reason {
        _ = try folder.coordinator(model, migration: .inferred(steps: ["Photo": step]))
      }?.contains("which is missing") == true)
    #expect(try columns() == before)
  }

  @Test("a name that is no UUID leads nowhere", arguments: ["../../../../etc/passwd", "x", ""])
  func names(name: String) throws {
    try makeStore(fileName: name)
    #expect(
      reasonOfReading(try open())
        == "ZDATA of row 2 of ZPHOTO names an external file by something else than a UUID")
  }

  @Test("links, folders and pipes are not followed or waited for")
  func special() throws {
    try makeStore(contents: nil)
    let file = files.appendingPathComponent(Self.name)
    func found() throws -> String? { reasonOfReading(try open()) }
    let place = "ZDATA of row 2 of ZPHOTO names the file '\(Self.path)', which "
    try FileManager.default.createSymbolicLink(
      atPath: file.path, withDestinationPath: "/etc/hostname")
    #expect(try found() == place + "is reached through a link")
    try FileManager.default.removeItem(at: file)
    try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
    #expect(try found() == place + "is not a regular file")
    try FileManager.default.removeItem(at: file)
    #expect(mkfifo(file.path, 0o600) == 0)
    #expect(try found() == place + "is not a regular file")
  }

  @Test("a folder that is a link is not followed, for reading or for removing")
  func linkedFolder() throws {
    let outside = folder.url.appendingPathComponent("outside")
    let kept = outside.appendingPathComponent(Self.name)
    try makeStore(contents: nil)
    try FileManager.default.removeItem(at: files)
    try FileManager.default.createDirectory(at: kept, withIntermediateDirectories: true)
    try Data([1]).write(to: kept.appendingPathComponent("own"))
    try FileManager.default.createSymbolicLink(
      atPath: files.path, withDestinationPath: outside.path)
    #expect(
      reasonOfReading(try open())
        == "ZDATA of row 2 of ZPHOTO names the file '\(Self.path)', which is reached through a link"
    )
    try dropData()
    #expect(FileManager.default.fileExists(atPath: kept.appendingPathComponent("own").path))

    // Also not if it leads to a file with that name.
    try makeAgain()
    try FileManager.default.removeItem(at: kept)
    try Data([1]).write(to: kept)
    try dropData()
    #expect(FileManager.default.fileExists(atPath: kept.path))
  }

  @Test("only a regular file is removed: no folder, no link, and nothing that a link leads to")
  func removal() throws {
    let outside = folder.url.appendingPathComponent("outside")
    try makeStore(contents: nil)
    let file = files.appendingPathComponent(Self.name)
    try FileManager.default.createDirectory(at: file, withIntermediateDirectories: true)
    try Data([1]).write(to: file.appendingPathComponent("own"))
    try dropData()
    #expect(FileManager.default.fileExists(atPath: file.appendingPathComponent("own").path))

    try makeAgain()
    try FileManager.default.removeItem(at: file)
    try Data([1]).write(to: outside)
    try FileManager.default.createSymbolicLink(
      atPath: file.path, withDestinationPath: outside.path)
    try dropData()
    #expect(FileManager.default.fileExists(atPath: outside.path))
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: file.path) == outside.path)

    try makeAgain()
    try FileManager.default.removeItem(at: file)
    try Data([1]).write(to: file)
    try dropData()
    #expect(!FileManager.default.fileExists(atPath: file.path))
  }

  /// Migrates the file to a model without the data.
  private func dropData() throws {
    let model = try ManagedObjectModel(entities: [
      EntityDescription(name: "Photo", attributes: [.optional("title", .string)])
    ])
    _ = try folder.coordinator(model, migration: .inferred(allowsDataLoss: true))
  }

  /// Replaces the store, and leaves the files beside it.
  private func makeAgain() throws {
    for suffix in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: folder.file().path + suffix)
    }
    try makeRows()
  }

  @Test("a column without a marker is an error that says what stands there")
  func marker() throws {
    try makeStore()
    try folder.execute("UPDATE ZPHOTO SET ZDATA = x'89504e47' WHERE Z_PK = 1")
    #expect(
      reason { _ = try open().fetch(named: "Photo").map(\.line) }
        == "ZDATA of row 1 of ZPHOTO begins with 89, where Core Data begins external data "
        + "with 01 or 02")
  }
}
