import FetchedResultsMacros
import FetchedResultsSQLite
import Foundation
import Testing

@Managed private final class Writer {
  var name: String
  var works: Set<Work>
}

@Managed(isAbstract: true) private final class Work: ManagedEntity {
  var title: String
  var pages = 0
  @Attribute(derivation: .halfPages) var sheets: Int64?
  @Relationship(inverse: \Writer.works) var writer: Writer?

  var isLong: Bool { pages > 300 }
}

@dynamicMemberLookup @Managed(superentity: Work.self) private final class Story: ManagedEntity {
  var series: String?
  var chapters: [Chapter]
}

@Managed private final class Chapter {
  var heading: String
  @Relationship(inverse: \Story.chapters) var story: Story?
}

@dynamicMemberLookup @Managed(superentity: Story.self) private final class Saga {
  var volumes = 3
  var maps: Set<Map>
}

@Managed private final class Map: ManagedEntity {
  var name: String
  @Relationship(inverse: \Saga.maps) var saga: Saga?
}

@Managed(superentity: Work.self) private final class Article {
  var journal: String
}

/// Classes of entities that inherit from others.
@Suite("Classes of sub-entities")
struct SubentityTests {
  private let model: ManagedObjectModel
  private let context: ManagedObjectContext

  init() throws {
    // A class may be listed before the one that it inherits from.
    model = try ManagedObjectModel(
      for: Saga.self, Article.self, Story.self, Work.self, Writer.self, Chapter.self, Map.self)
    context = ManagedObjectContext(
      coordinator: PersistentStoreCoordinator(managedObjectModel: model))
  }

  private func fill() throws {
    let writer = Writer(name: "Ada", in: context)
    for (title, pages) in [("Emma", 474), ("Dune", 412)] {
      let story = Story(series: title == "Dune" ? "Dune" : nil, in: context)
      story.title = title
      story.pages = pages
      story.writer = writer
    }
    let saga = Saga(volumes: 9, in: context)
    (saga.title, saga.pages, saga.series) = ("Njal", 350, "Icelanders")
    let article = Article(journal: "Nature", in: context)
    article.asSuperentity.title = "A Structure"
    article.asSuperentity.pages = 1
    try context.save()
  }

  @Test("the entities inherit, in whatever order the classes are listed")
  func entities() throws {
    let saga = try #require(model.entitiesByName["Saga"])
    #expect(saga.superentity?.name == "Story" && saga.superentity?.superentity?.name == "Work")
    #expect(
      saga.attributes.map(\.name) == ["title", "pages", "sheets", "series", "volumes"])
    #expect(saga.relationships.map(\.name) == ["writer", "chapters", "maps"])
    #expect(model.entitiesByName["Work"]?.isAbstract == true)
    #expect(throws: ManagedModelError.unlistedSuperentity("Work", entity: "Article")) {
      try ManagedObjectModel(for: Article.self)
    }
  }

  @Test("inherited properties are read and written like the class's own")
  func values() throws {
    try fill()
    let fresh = ManagedObjectContext(coordinator: context.persistentStoreCoordinator)
    let saga = try #require(try fresh.fetch(FetchRequest<Saga>()).first)
    #expect(saga.title == "Njal" && saga.pages == 350 && saga.series == "Icelanders")
    #expect(saga.volumes == 9 && saga.isLong && saga.writer == nil && saga.sheets == 175)
    #expect(saga.managedObject["title"] == "Njal" && saga.managedObject["volumes"] == 9)
    saga.pages += 1
    #expect(saga.hasChanges && saga.asSuperentity.pages == 351)
    #expect(saga.asSuperentity.asSuperentity.isLong && saga.hasValue(for: \.title))
    #expect(!saga.hasValue(for: \.writer) && !saga.hasValue(for: \.maps))
    let article = try #require(try fresh.fetch(FetchRequest<Article>()).first)
    #expect(article.journal == "Nature" && article.asSuperentity.title == "A Structure")
  }

  @Test("a fetch of the superentity finds them, and each knows its class")
  func fetches() throws {
    try fill()
    var request = FetchRequest<Work>(sortBy: [.init(\.title)])
    let works = try context.fetch(request)
    #expect(works.map(\.title) == ["A Structure", "Dune", "Emma", "Njal"])
    #expect(works.map { $0.asSubentity(Story.self)?.series } == [nil, "Dune", nil, "Icelanders"])
    #expect(works.map { $0.asSubentity(Saga.self)?.volumes } == [nil, nil, nil, 9])
    #expect(works[0].asSubentity(Article.self)?.journal == "Nature")
    #expect(works[3].asSubentity(Story.self)?.asSuperentity == works[3])
    #expect(context.object(with: works[0].id, as: Story.self) == nil)
    #expect(context.object(with: works[3].id, as: Story.self)?.title == "Njal")
    request.includesSubentities = false
    #expect(try context.count(for: request) == 0)
    var stories = FetchRequest<Story>(sortBy: [.init(\.title)])
    #expect(try context.fetch(stories).map(\.title) == ["Dune", "Emma", "Njal"])
    stories.includesSubentities = false
    #expect(try context.fetch(stories).map(\.title) == ["Dune", "Emma"])
  }

  @Test("sorts, predicates and sections name inherited properties")
  func names() throws {
    try fill()
    var request = FetchRequest<Saga>(sortBy: [.init(\.title), .init(\.series), .init(\.volumes)])
    #expect(request.sortDescriptors.map(\.descriptor.key) == ["title", "series", "volumes"])
    request = try FetchRequest(
      predicate: #Predicate { $0.title == "Njal" && $0.series != nil && $0.volumes > 2 })
    #expect(
      request.predicate?.predicateFormat == #"title == "Njal" AND series != nil AND volumes > 2"#)
    #expect(try context.count(for: request) == 1)
    let id = try #require(try context.fetch(FetchRequest<Writer>()).first).id
    let hers = try FetchRequest<Story>(predicate: #Predicate { $0.writer?.id == id })
    #expect(try context.count(for: hers) == 2)

    let papers = try FetchRequest<Article>(
      predicate: #Predicate { $0.asSuperentity.title.starts(with: "A") },
      sortBy: [.init(\.asSuperentity.pages)])
    #expect(papers.sortDescriptors.map(\.descriptor.key) == ["pages"])
    #expect(try context.count(for: papers) == 1)

    #expect(throws: PredicateTranslationError.self) {
      try FetchRequest<Saga>(predicate: #Predicate { $0.isLong })
    }
    let controller = try FetchedResultsController(
      fetchRequest: FetchRequest<Story>(sortBy: [.init(\.pages), .init(\.title)]),
      managedObjectContext: context, sectionNameKeyPath: \.pages)
    try controller.performFetch()
    #expect(controller.sections?.map(\.name) == ["350", "412", "474"])
  }

  @Test("relationships lead to them, and they are elements of sets")
  func relationships() throws {
    try fill()
    let writer = try #require(try context.fetch(FetchRequest<Writer>()).first)
    let stories = try context.fetch(FetchRequest<Story>(sortBy: [.init(\.title)]))
    #expect(writer.works == Set(stories.prefix(2).map(\.asSuperentity)))
    #expect(Set(stories + stories).count == 3)
    stories[2].writer = writer
    stories[2].addToChapters([
      Chapter(heading: "I", in: context), Chapter(heading: "II", in: context),
    ])
    #expect(writer.works.count == 3 && stories[2].chapters.map(\.heading) == ["I", "II"])
    let saga = try #require(stories[2].asSubentity(Saga.self))
    let map = Map(name: "Iceland", saga: saga, in: context)
    #expect(saga.maps == [map] && map.saga == saga && saga.chapters.last?.story?.title == "Njal")
    saga.maps = []
    #expect(map.saga == nil)
    saga.asSuperentity.removeFromChapters(saga.chapters[0])
    #expect(saga.chapters.map(\.heading) == ["II"])
  }

  @Test("a controller of the superentity follows them")
  func tracking() throws {
    try fill()
    let controller = try FetchedResultsController(
      fetchRequest: FetchRequest<Work>(sortBy: [.init(\.title)]), managedObjectContext: context)
    var told: [String] = []
    controller.onChange = { changes in
      told += changes.objects.map { "\($0.type) \($0.object.title)" }
    }
    try controller.performFetch()
    let saga = try #require(try context.fetch(FetchRequest<Saga>()).first)
    saga.title = "Burnt Njal"
    context.processPendingChanges()
    saga.delete()
    context.processPendingChanges()
    #expect(told == ["move Burnt Njal", "delete Burnt Njal"])
  }

  @Test("a file of the entities needs no migration, and gets sub-entities by one")
  func files() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).sqlite")
    defer {
      for suffix in ["", "-wal", "-shm"] {
        try? FileManager.default.removeItem(atPath: file.path + suffix)
      }
    }
    func context(
      _ model: ManagedObjectModel, _ migration: StoreMigration = .none
    ) throws -> ManagedObjectContext {
      ManagedObjectContext(
        coordinator: try PersistentStoreCoordinator(
          managedObjectModel: model, sqliteStoreAt: file, migration: migration))
    }
    do {
      let first = try context(try ManagedObjectModel(for: Note.self))
      _ = Note(label: "old", in: first)
      try first.save()
    }

    var reports: [MigrationReport] = []
    var migration = StoreMigration.inferred()
    migration.didMigrate = { reports.append($0) }
    let both = try ManagedObjectModel(for: Note.self, Reminder.self)
    let second = try context(both, migration)
    #expect(reports.count == 1)
    let reminder = Reminder(minutes: 5, in: second)
    reminder.label = "new"
    try second.save()

    let note = try EntityDescription(
      name: "Note", attributes: [AttributeDescription(name: "label", type: .string)])
    let untyped = try ManagedObjectModel(entities: [
      note,
      EntityDescription(
        name: "Reminder", superentity: note,
        attributes: [AttributeDescription(name: "minutes", type: .integer64, defaultValue: 1)]),
    ])
    let third = try context(untyped, migration)
    #expect(reports.count == 1)
    let labels = try third.fetch(EngineFetchRequest(entity: note)).map { $0["label"] }
    #expect(labels == ["old", "new"])
    let reminders = try third.fetch(FetchRequest<Reminder>())
    #expect(reminders.map(\.label) == ["new"] && reminders.map(\.minutes) == [5])
  }
}

@Managed private final class Note {
  var label: String
}

@dynamicMemberLookup @Managed(superentity: Note.self) private final class Reminder {
  var minutes = 1
}

extension AttributeExpression {
  fileprivate static let halfPages = AttributeExpression("pages / 2") { values in
    values.value(forKey: "pages")?.int.map { .int($0 / 2) } ?? .null
  }
}
