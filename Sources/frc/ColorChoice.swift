import ArgumentParser
import LineEditor

/// When colour is used.
enum ColorChoice: String, ExpressibleByArgument, CaseIterable {
  case auto
  case always
  case never

  /// Whether a stream gets colour.
  func appliesTo(_ descriptor: Int32) -> Bool {
    switch self {
    case .always: true
    case .never: false
    case .auto:
      isTerminal(descriptor) && ProcessEnvironment["NO_COLOR", default: ""].isEmpty
        && isTerminalKnown
    }
  }
}
