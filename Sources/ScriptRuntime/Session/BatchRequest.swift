import FetchedResults

/// A batch request with resolved names and values.
enum BatchRequest {
  case insert(BatchInsertRequest)
  case update(BatchUpdateRequest)
  case delete(BatchDeleteRequest)

  /// - Throws: The error of the part that failed, for a script's message.
  func execute(in context: ManagedObjectContext) throws -> BatchResult {
    do throws(BatchRequestError) {
      switch self {
      case .insert(let request): return try context.execute(request)
      case .update(let request): return try context.execute(request)
      case .delete(let request): return try context.execute(request)
      }
    } catch {
      switch error {
      case .object(let error): throw error
      case .fetch(let error): throw error
      case .store(let error): throw error
      case .relationship, .transient, .notNumeric, .abstractEntity, .foreignEntity: throw error
      }
    }
  }
}
