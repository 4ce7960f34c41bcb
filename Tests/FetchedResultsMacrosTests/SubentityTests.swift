import FetchedResultsMacros
import FetchedResultsSQLite
import Foundation
import Testing

@Managed final class Owner {
  var name: String
  @Relationship var media: Set<Medium>
}

@Managed(isAbstract: true) final class Medium {
  @Attribute(originalName: "name") var title: String
  var pages = 0
  @Relationship(inverse: \Owner.media, originalName: "holder") var owner: Owner?
}

@dynamicMemberLookup @Managed(superentity: Medium.self) final class Volume {
  var isbn: String?
  var weight = 1.5
  @Relationship(deleteRule: .cascade) var chapters: Set<Chapter>
}

@dynamicMemberLookup @Managed(superentity: Volume.self) final class Atlas {
  var scale = 1_000
}

@Managed final class Chapter {
  var heading: String
  @Relationship(inverse: \Volume.chapters) var volume: Volume?
}

/// Classes of entities that inherit.
@Suite("Classes of sub-entities")
struct SubentityTests {
  private let model: ManagedObjectModel
  private let context: ManagedObjectContext

  init() throws {
    // In any order: an entity is made after the one that it inherits from.
    model = try ManagedObjectModel(
      for: Atlas.self, Chapter.self, Volume.self, Owner.self, Medium.self)
    context = ManagedObjectContext(
      coordinator: PersistentStoreCoordinator(managedObjectModel: model))
  }

  @Test("the entities inherit, and know their names in older stores")
  func entities() throws {
    let atlas = try #require(model.entitiesByName["Atlas"])
    #expect(atlas.superentity?.name == "Volume")
    #expect(atlas.superentity?.superentity?.isAbstract == true)
    #expect(atlas.attributes.map(\.name) == ["title", "pages", "isbn", "weight", "scale"])
    #expect(atlas.relationships.map(\.name) == ["owner", "chapters"])
    #expect(atlas.attributesByName["title"]?.renamingIdentifier == "name")
    #expect(atlas.relationshipsByName["owner"]?.renamingIdentifier == "holder")
    let medium = try #require(model.entitiesByName["Medium"])
    #expect(medium.subentities.map(\.name) == ["Volume"])
    #expect(medium.subentitiesByName.keys.sorted() == ["Volume"])
  }

  @Test("inherited and own properties are read and written")
  func properties() throws {
    let owner = Owner(name: "Ada", in: context)
    let atlas = Atlas(scale: 500, in: context)
    atlas.title = "Sky"
    atlas.pages = 12
    atlas.isbn = "1"
    atlas.owner = owner
    let chapter = Chapter(heading: "Stars", in: context)
    atlas.chapters = [try #require(context.object(with: chapter.objectID, as: Chapter.self))]
    let object = atlas.managedObject
    #expect(object["title"] == "Sky" && object["pages"] == 12 && object["isbn"] == "1")
    #expect(object["scale"] == 500 && object["weight"] == 1.5)
    #expect(atlas.title == "Sky" && atlas.weight == 1.5 && atlas.scale == 500)
    #expect(owner.media.map(\.title) == ["Sky"])
    #expect(chapter.volume?.asSubentity(Atlas.self) == atlas)
    #expect(chapter.volume?.asSuperentity.asSubentity(Volume.self)?.isbn == "1")
    atlas.asSuperentity.removeFromChapters(chapter)
    #expect(chapter.volume == nil)
  }

  @Test("a fetch of the superentity returns objects of its sub-entities")
  func fetching() throws {
    Volume(isbn: "2", in: context).title = "Dune"
    Atlas(in: context).title = "Sky"
    let media = try context.fetch(
      FetchRequest<Medium>(sortBy: [FetchSort(\.title)]))
    #expect(media.map(\.title) == ["Dune", "Sky"])
    #expect(media.map { $0.asSubentity(Atlas.self) != nil } == [false, true])
    #expect(try context.fetch(FetchRequest<Atlas>(sortBy: [FetchSort(key: "title")])).count == 1)
    #expect(try context.count(for: FetchRequest<Volume>()) == 2)
    #expect(Owner.typed(media[0].managedObject) == nil)
  }

  @Test("a class is needed for each superentity")
  func unlisted() {
    #expect(throws: ManagedModelError.unlistedSuperentity("Volume", entity: "Atlas")) {
      try ManagedObjectModel(for: Atlas.self)
    }
  }

  @Test("objects of a class are imported")
  func importing() async throws {
    let container = PersistentContainer(managedObjectModel: model)
    let names = AsyncStream<String> { continuation in
      for number in 0..<250 { continuation.yield("Owner \(number)") }
      continuation.finish()
    }
    let count = try await container.insert(names, of: Owner.self, savingEvery: 100) { name, owner in
      owner.name = name
    }
    #expect(count == 250)
    let found = try await container.performBackgroundTask { context in
      try context.fetch(FetchRequest<Owner>(sortBy: [FetchSort(\.name)])).first?.name
    }
    #expect(found == "Owner 0")
  }
}
