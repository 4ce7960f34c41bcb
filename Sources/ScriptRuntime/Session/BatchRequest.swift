import FetchedResults

/// A batch request with its names and values looked up.
enum BatchRequest {
  case insert(BatchInsertRequest)
  case update(BatchUpdateRequest)
  case delete(BatchDeleteRequest)

  func execute(in context: ManagedObjectContext) throws -> BatchResult {
    switch self {
    case .insert(let request): try context.execute(request)
    case .update(let request): try context.execute(request)
    case .delete(let request): try context.execute(request)
    }
  }
}
