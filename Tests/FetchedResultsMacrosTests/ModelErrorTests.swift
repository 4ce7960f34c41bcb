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
    #expect(message(Dog.self, Dog.self) == "entity 'Dog' is already defined")
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
