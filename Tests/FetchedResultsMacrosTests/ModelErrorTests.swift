import FetchedResultsMacros
import Testing

@Managed private final class Person {
  @Relationship(inverse: \Dog.name) var dog: Dog?
}

@Managed private final class Dog {
  var name = ""
}

@Managed private final class Team {
  var home: Set<Match>
  var away: Set<Match>
}

@Managed private final class Match {
  @Relationship var first: Team?
  @Relationship var second: Team?
}

@Managed private final class Mother {
  @Relationship(inverse: \Child.second) var children: Set<Child>
}

@Managed private final class Child: ManagedEntity {
  @Relationship var first: Mother?
  @Relationship var second: Child?
}

@Managed private final class Node: ManagedEntity {
  @Attribute(.unique, minimum: 2, maximum: 5, pattern: "[a-z]+") var name: String
  @Relationship(inverse: \Node.children) var parent: Node?
  var children: Set<Node>
}

@Managed(indexes: [FetchIndexDescription(name: "byName", elements: ["nmae"])])
private final class Misspelt {
  var name: String
}

@Managed private final class Moody {
  @Transient @Attribute(.indexed) var mood = 0
}

@Managed private final class Fleet {
  @Relationship(inverse: \Ship.fleet) var ships: [Ship]
}

@Managed private final class Ship {
  @Relationship(inverse: \Fleet.ManagedKeys.ships) var fleet: Fleet?
}

@Managed private final class Bus: ManagedEntity {
  @Relationship(inverse: \Rider.bus) var riders: Set<Rider>
  var standing: Set<Rider>
}

@Managed private final class Rider: ManagedEntity {
  @Relationship var bus: Bus?
  @Relationship(inverse: \Bus.ManagedKeys.riders) var other: Bus?
}

@Managed private final class Hat: ManagedEntity {
  var size = 1
  @Relationship var rack: Rack?
}

@Managed private final class Rack {
  var rooms: Set<Room>
}

@Managed private final class Room: ManagedEntity {
  var name = ""
}

@Suite("Models of managed classes")
struct ModelErrorTests {
  @Test("name what does not fit together")
  func errors() throws {
    func message(_ types: any ManagedEntity.Type...) -> String? {
      do {
        _ = try ManagedObjectModel(for: types)
        return nil
      } catch {
        return "\(error)"
      }
    }
    #expect(
      message(Book.self)
        == "Book.author leads to Author, which is not in the model; add Author.self to "
        + "ManagedObjectModel(for:)")
    #expect(message(Misspelt.self) == "Misspelt has no attribute 'nmae'")
    #expect(
      message(Moody.self)
        == "'mood' of Moody cannot be indexed, because it is transient; no store has its values")
    #expect(
      message(Person.self, Dog.self)
        == #"the inverse of Person.dog must be a relationship of Dog; write inverse: \Dog.…"#)
    #expect(
      message(Team.self, Match.self)
        == "Team.home needs an inverse: Match.first and Match.second lead back; "
        + "write @Relationship(inverse:) at one of them")
    #expect(
      message(Mother.self, Child.self)
        == "Child.second cannot be the inverse of Mother.children, since it leads elsewhere or "
        + "has another inverse")
    #expect(
      message(Bus.self, Rider.self)
        == "Bus.riders cannot be the inverse of Rider.other, since it leads elsewhere or has "
        + "another inverse")
    #expect(message(Dog.self, Dog.self) == "entity 'Dog' is already defined")
  }

  @Test("both sides can name the inverse")
  func bothSides() throws {
    let model = try ManagedObjectModel(for: Fleet.self, Ship.self)
    let names = model.entities.map { $0.relationships.map(\.inverse) }
    #expect(names == [["fleet"], ["ships"]])
    #expect(try ManagedObjectModel.warnings(for: Fleet.self, Ship.self) == [])
  }

  @Test("a relationship without an inverse is a warning that says what to write")
  func noInverse() throws {
    let warnings = try ManagedObjectModel.warnings(for: Hat.self, Rack.self, Room.self)
    #expect(
      warnings.map(\.description) == [
        "Hat.rack has no inverse, so it leads to a deleted Rack until the next save; "
          + #"write '@Relationship(inverse: \Hat.rack) var hats: Set<Hat>' in Rack"#,
        "Rack.rooms has no inverse, so it leads to a deleted Room until the next save; "
          + #"write '@Relationship(inverse: \Rack.rooms) var rack: Rack?' in Room"#,
      ])
  }

  @Test("a class can lead to itself, and limits hold at a save")
  func itself() throws {
    let model = try ManagedObjectModel(for: Node.self)
    let context = ManagedObjectContext(
      coordinator: PersistentStoreCoordinator(managedObjectModel: model))
    let parent = Node(name: "parent", in: context)
    let child = Node(name: "child", parent: parent, in: context)
    #expect(parent.children == [child])
    #expect(throws: (any Error).self) { try context.save() }
    parent.name = "root"
    try context.save()
    child.name = "root"
    #expect(throws: (any Error).self) { try context.save() }
  }
}
