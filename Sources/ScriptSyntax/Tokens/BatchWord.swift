/// The words after `batch` that begin a batch request, and not a `batch` clause.
enum BatchWord: String, CaseIterable {
  case insert, update, delete
}
