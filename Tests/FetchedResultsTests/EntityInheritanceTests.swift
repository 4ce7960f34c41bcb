import FetchedResults
import Testing

@Suite("entities that inherit")
struct EntityInheritanceTests {
  @Test("in a long chain, each is of the kind of those above it and of no other")
  func chain() throws {
    var chain: [EntityDescription] = []
    for number in 0..<70 {
      chain.append(
        try EntityDescription(name: "E\(number)", superentity: chain.last, attributes: []))
    }
    let branch = try EntityDescription(name: "Branch", superentity: chain[20], attributes: [])
    let leaf = try EntityDescription(name: "Leaf", superentity: branch, attributes: [])
    let model = try ManagedObjectModel(entities: chain + [branch, leaf])
    #expect(model.entities.count == 72)
    for (low, entity) in chain.enumerated() {
      for (high, other) in chain.enumerated() {
        #expect(entity.isKindOf(entity: other) == (high <= low))
      }
      #expect(leaf.isKindOf(entity: entity) == (low <= 20))
      #expect(!entity.isKindOf(entity: branch))
      #expect(entity.hasSubentities == (low < 69))
    }
    #expect(leaf.isKindOf(entity: branch) && !branch.isKindOf(entity: leaf))
    #expect(branch.hasSubentities && !leaf.hasSubentities)
  }

  @Test("all of a chain of entities are parents, added one by one")
  func addedOneByOne() throws {
    let coordinator = PersistentStoreCoordinator(managedObjectModel: .empty)
    var last: EntityDescription?
    var all: [EntityDescription] = []
    for number in 0..<10 {
      let entity = try EntityDescription(name: "E\(number)", superentity: last, attributes: [])
      try coordinator.add(entity)
      #expect(all.allSatisfy(\.hasSubentities) && !entity.hasSubentities)
      all.append(entity)
      last = entity
    }
  }
}
