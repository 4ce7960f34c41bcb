import FetchedResults

extension ManagedObjectContext {
  /// Saves, and throws the underlying error, because many tests expect its type.
  func saveThrowingCause() throws {
    do {
      try save()
    } catch {
      throw error.underlyingError
    }
  }
}
