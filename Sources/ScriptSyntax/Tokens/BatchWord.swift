/// The words after `batch` that make a batch request of it, and no clause.
enum BatchWord: String, CaseIterable {
  case insert, update, delete
}
