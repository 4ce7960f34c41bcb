import FetchedResults
import ScriptSyntax

extension FetchSortDescriptor.Selector {
  init(_ selector: SortSyntax.Selector) {
    self =
      switch selector {
      case .binary: .compare
      case .caseInsensitive: .caseInsensitiveCompare
      case .localized: .localizedCompare
      case .localizedCaseInsensitive: .localizedCaseInsensitiveCompare
      case .localizedStandard: .localizedStandardCompare
      }
  }

  /// The word after `using`; nil for the default.
  var scriptWord: String? {
    switch self {
    case .compare: nil
    case .caseInsensitiveCompare: SortSyntax.Selector.caseInsensitive.rawValue
    case .localizedCompare: SortSyntax.Selector.localized.rawValue
    case .localizedCaseInsensitiveCompare: SortSyntax.Selector.localizedCaseInsensitive.rawValue
    case .localizedStandardCompare: SortSyntax.Selector.localizedStandard.rawValue
    }
  }
}
