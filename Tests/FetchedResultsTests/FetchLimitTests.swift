import FetchedResults
import Testing

@Suite("limit, offset and batch size")
struct FetchLimitTests {
  let shelf: Shelf

  init() throws {
    shelf = try Shelf()
    for index in 1...6 { shelf.insert("\(index)", pages: .int(Int64(index))) }
  }

  private func tracked(
    limit: Int = 0, offset: Int = 0, batch: Int = 0
  ) throws -> (controller: FetchedResultsController, delegate: RecordingDelegate) {
    var request = shelf.request(sort: "pages")
    try shelf.context.save()
    request.fetchLimit = limit
    request.fetchOffset = offset
    request.fetchBatchSize = batch
    let controller = try FetchedResultsController(
      fetchRequest: request, managedObjectContext: shelf.context)
    return (controller, try RecordingDelegate(fetching: controller))
  }

  @Test("limit and offset act in performFetch")
  func window() throws {
    #expect(try tracked(limit: 2).controller.shown == [": 1, 2"])
    #expect(try tracked(limit: 2, offset: 3).controller.shown == [": 4, 5"])
    #expect(try tracked(offset: 5).controller.shown == [": 6"])
    #expect(try tracked(limit: 2, offset: 9).controller.shown == [": "])
  }

  @Test("later inserts come in beyond the limit, and nothing is deleted to keep it")
  func exceeded() throws {
    let (controller, delegate) = try tracked(limit: 2)

    for index in 7...8 {
      shelf.insertInTurn("\(index)", pages: .int(Int64(index)))
    }

    #expect(
      delegate.history == [
        "will", "insert 7 -> [0, 2]", "did", "will", "insert 8 -> [0, 3]", "did",
      ])
    #expect(controller.fetchedObjects?.count == 4)
  }

  @Test("an object that was cut off and changes while it matches comes in as an insert")
  func cutOff() throws {
    let (controller, delegate) = try tracked(limit: 2, offset: 1)
    let objects = try shelf.context.fetch(shelf.request(sort: "pages"))

    objects[0]["title"] = "first"
    objects[5]["title"] = "last"
    #expect(
      delegate.received() == ["will", "insert first -> [0, 0]", "insert last -> [0, 3]", "did"])
    #expect(controller.shown == [": first, 2, 3, last"])
  }

  @Test("the batch size changes nothing that is reported")
  func batchSize() throws {
    let (controller, delegate) = try tracked(batch: 2)

    shelf.insert("0", pages: 0)
    #expect(delegate.received() == ["will", "insert 0 -> [0, 0]", "did"])
    #expect(controller.shown == [": 0, 1, 2, 3, 4, 5, 6"])
  }
}
