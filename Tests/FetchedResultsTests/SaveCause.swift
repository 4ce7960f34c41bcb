import FetchedResults

extension ManagedObjectContext {
  /// Saves, and throws the error of the part that failed, which many tests ask for by its type.
  func saveThrowingCause() throws {
    do {
      try save()
    } catch {
      throw error.underlyingError
    }
  }
}
