// A predicate's values are those of the model, so who has the one has the other.
@_exported public import ObjectModel
