/// An option that Apple's controllers do not have; the raw value is its spelling.
package enum ControllerOption: String, Hashable, Sendable, CaseIterable {
  case keepLimit = "keep limit"
  case trackRelated = "track related"
}
