/// What a controller can do that Apple's cannot; the raw value is how it is written.
package enum ControllerOption: String, Hashable, Sendable, CaseIterable {
  case keepLimit = "keep limit"
  case trackRelated = "track related"
}
