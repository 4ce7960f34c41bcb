import FetchedResultsMacros
import Foundation
import RepositoryFiles
import Testing

// The code of the documentation, which ``GuideTests`` compares with this file.

@Managed final class Recipe {
  var name: String
  var minutes = 30
}

enum Course: String, CaseIterable, Codable {
  case starter
  case main
  case dessert
}

@Managed final class Dish: ManagedEntity {
  @Attribute(.unique) var name: String
  @Attribute(.indexed) var minutes = 30
  var note: String?
  var course: Course = .main
  var created: Date = Date()
  @Attribute(.allowsExternalBinaryDataStorage) var photo: Data?
  @Transient var isSelected = false
  @Relationship(inverse: \Cook.dishes) var cook: Cook?
}

@Managed(indexes: [FetchIndexDescription(name: "byKind", elements: ["kind", .descending("size")])])
final class Ingredient {
  var kind: String
  var size = 1.0
}

@Managed final class Cook {
  var name: String
  @Relationship(deleteRule: .cascade) var dishes: Set<Dish>
}

@Managed final class Party {
  @Relationship(inverse: \Guest.party) var guests: [Guest]
}

@Managed final class Guest {
  @Relationship(inverse: \Party.ManagedKeys.guests) var party: Party?
}

@dynamicMemberLookup @Managed(superentity: Dish.self) final class Dessert {
  var sweetness = 3
}

final class Song: PlainManagedEntity {
  static let managedSchema = ManagedSchema<Song>(
    "Song",
    properties: [
      .attribute("title", \.title, options: .unique),
      .attribute("seconds", \.seconds, default: 180),
      .attribute("style", \.style, default: .pop),
      .toOne("singer", \.singer, inverse: \Singer.songs),
    ])
  let managedObject: ManagedObject
  init(managedObject: ManagedObject) { self.managedObject = managedObject }

  var title: String {
    get { self[\.title] }
    set { self[\.title] = newValue }
  }
  var seconds: Int {
    get { self[\.seconds] }
    set { self[\.seconds] = newValue }
  }
  var style: Style {
    get { self[\.style, default: .pop] }
    set { self[\.style, default: .pop] = newValue }
  }
  var singer: Singer? {
    get { self[\.singer] }
    set { self[\.singer] = newValue }
  }
}

enum Style: String {
  case pop
  case jazz
}

final class Singer: PlainManagedEntity {
  static let managedSchema = ManagedSchema<Singer>(
    "Singer",
    properties: [
      .attribute("name", \.name), .attribute("born", \.born),
      .toMany("songs", \.songs, deleteRule: .cascade),
    ])
  let managedObject: ManagedObject
  init(managedObject: ManagedObject) { self.managedObject = managedObject }

  var name: String {
    get { self[\.name] }
    set { self[\.name] = newValue }
  }
  var born: Int? {
    get { self[\.born] }
    set { self[\.born] = newValue }
  }
  var songs: Set<Song> {
    get { self[\.songs] }
    set { self[\.songs] = newValue }
  }
}

/// The code in the documentation compiles and does what the pages say.
@Suite("The guide")
struct GuideTests {
  @Test("the landing page")
  func landing() throws {
    let model = try ManagedObjectModel(for: Recipe.self)
    let context = ManagedObjectContext(
      coordinator: PersistentStoreCoordinator(managedObjectModel: model))
    let quick = try FetchRequest<Recipe>(
      predicate: #Predicate { $0.minutes < 20 }, sortBy: [.init(\.name)])
    let controller = try FetchedResultsController(
      fetchRequest: quick, managedObjectContext: context)
    controller.onChange = { changes in print(changes.objects.map(\.object.name)) }
    try controller.performFetch()
    #expect(controller.objects == [])
  }

  @Test("Modelling")
  func modelling() throws {
    let model = try ManagedObjectModel(for: Dish.self, Cook.self)
    let context = ManagedObjectContext(
      coordinator: PersistentStoreCoordinator(managedObjectModel: model))
    let cook = Cook(name: "Ada", in: context)
    let soup = Dish(name: "Soup", minutes: 15, cook: cook, in: context)
    soup.minutes += 5
    cook.addToDishes(Dish(name: "Bread", in: context))
    try context.save()

    let limit = 20
    var request = try FetchRequest<Dish>(
      predicate: #Predicate { $0.minutes <= limit && $0.cook?.name == "Ada" },
      sortBy: [.init(\.name, .localizedStandardCompare), .init(\.minutes, order: .reverse)])
    let quick = try context.fetch(request)
    request.predicate = try FetchPredicate(format: "name BEGINSWITH %@", "S")
    let number = try context.count(for: request)
    #expect(quick == [soup] && number == 1)

    request.predicate = try FetchPredicate(#Predicate<Dish> { $0.cook == cook })
    let ids = [cook.id]
    request.predicate = try FetchPredicate(
      #Predicate<Dish> { if let cook = $0.cook { ids.contains(cook.id) } else { false } })
    #expect(try context.count(for: request) == 2)

    let controller = try FetchedResultsController(
      fetchRequest: FetchRequest<Dish>(sortBy: [.init(\.course), .init(\.name)]),
      managedObjectContext: context, sectionNameKeyPath: \.course)
    controller.onChange = { changes in
      for change in changes.objects { print(change.type, change.object.name) }
    }
    try controller.performFetch()
    if let sections = controller.sections {
      for section in sections { print(section.name, section.objects.map(\.name)) }
    }
    let first = controller[ResultsIndexPath(section: 0, row: 0)]
    #expect(first.name == "Bread")
  }

  @Test("classes without macros")
  func plain() throws {
    let model = try ManagedObjectModel(for: Song.self, Singer.self)
    let context = ManagedObjectContext(
      coordinator: PersistentStoreCoordinator(managedObjectModel: model))
    let ella = Singer(in: context)
    ella.name = "Ella"
    let song = Song(in: context)
    song.title = "Summertime"
    song.style = .jazz
    song.singer = ella
    try context.save()
    let long = try FetchRequest<Song>(
      predicate: #Predicate { $0.seconds > 60 && $0.singer?.name == "Ella" },
      sortBy: [.init(\.singer.name), .init(\.title)])
    let found = try context.fetch(long)
    let controller = try FetchedResultsController(
      fetchRequest: long, managedObjectContext: context, sectionNameKeyPath: \.singer.name)

    try controller.performFetch()
    #expect(found == [song] && song.seconds == 180 && song.style == .jazz && song.singer == ella)
    #expect(controller.sections?.map(\.name) == ["Ella"])
    #expect(ella.born == nil && ella.songs == [song] && ella.id == ella.objectID)
    ella.born = 1917
    ella.songs = []
    #expect(ella.born == 1917 && song.singer == nil && song.hasChanges)
    let byStyle = FetchRequest<Song>(sortBy: [.init(\.style), .init(\.singer.born)])
    #expect(byStyle.sortDescriptors.map(\.descriptor.key) == ["style", "singer.born"])
    let entity = try #require(model.entitiesByName["Song"])
    #expect(entity.uniquenessConstraints == [["title"]])
    #expect(entity.relationships.map(\.inverse) == ["songs"])
    #expect(try ManagedObjectModel.warnings(for: Song.self, Singer.self) == [])
  }

  @Test("the module compiles without the trait, and needs no plugin then")
  func withoutTrait() throws {
    let sources = RepositoryFiles.url("Sources/FetchedResultsMacros")
    let files = try #require(FileManager.default.enumerator(atPath: sources.path))
      .compactMap { $0 as? String }.filter { $0.hasSuffix(".swift") }
    #expect(files.count > 10)
    let features = ["ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility"]
    // SwiftPM names a package that is built by itself after its folder.
    let package = String(
      RepositoryFiles.root.lastPathComponent.lowercased().map {
        $0.isLetter || $0.isNumber ? $0 : "_"
      })
    let printed = try Toolchain.run(
      ["swiftc", "-frontend", "-typecheck", "-swift-version", "6"]
        + ["-module-name", "FetchedResultsMacros", "-package-name", package]
        + features.flatMap { ["-enable-upcoming-feature", $0] }
        + Toolchain.moduleOptionsWithoutPlugin()
        + files.sorted().map { sources.appending(path: $0).path })
    #expect(printed == "")
  }

  @Test("inverses")
  func inverses() throws {
    let warnings = try ManagedObjectModel.warnings(for: Dish.self, Cook.self)
    #expect(warnings == [])
    #expect(try ManagedObjectModel.warnings(for: Party.self, Guest.self) == [])
  }

  @Test("indexes")
  func indexes() throws {
    let model = try ManagedObjectModel(for: Dish.self, Cook.self)
    #expect(
      model.entitiesByName["Dish"]?.indexes == [FetchIndexDescription(attribute: "minutes")])
    let ingredients = try ManagedObjectModel(for: Ingredient.self)
    #expect(
      ingredients.entitiesByName["Ingredient"]?.indexes == [
        FetchIndexDescription(name: "byKind", elements: ["kind", .descending("size")])
      ])
  }

  @Test("an entity that inherits")
  func inheriting() throws {
    let kitchen = ManagedObjectContext(
      coordinator: PersistentStoreCoordinator(
        managedObjectModel: try ManagedObjectModel(for: Dish.self, Dessert.self, Cook.self)))
    let cake = Dessert(sweetness: 5, in: kitchen)
    cake.name = "Cake"
    cake.course = .dessert
    let sweet = try FetchRequest<Dessert>(
      predicate: #Predicate { $0.minutes < 60 && $0.sweetness > 4 }, sortBy: [.init(\.name)])
    let desserts = try kitchen.fetch(sweet)
    #expect(desserts == [cake])
    let dishesAndDesserts = try kitchen.fetch(FetchRequest<Dish>())
    let sweetness = dishesAndDesserts.map { $0.asSubentity(Dessert.self)?.sweetness }
    #expect(sweetness == [5])
  }

  @Test(
    "every snippet of the pages is in this file",
    arguments: ["FetchedResultsMacros", "Modelling", "WithoutMacros"])
  func snippets(_ page: String) throws {
    let text = try RepositoryFiles.text(
      "Sources/FetchedResultsMacros/FetchedResultsMacros.docc/\(page).md")
    let compiled = plain(try String(contentsOfFile: #filePath, encoding: .utf8))
    let blocks = text.components(separatedBy: "```swift\n").dropFirst().compactMap {
      $0.components(separatedBy: "```").first
    }
    #expect(!blocks.isEmpty)
    for block in blocks {
      #expect(compiled.contains(plain(block)), "\(block)")
    }
  }

  /// The lines without their indentation.
  private func plain(_ text: String) -> String {
    text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
      .joined(separator: "\n")
  }
}
