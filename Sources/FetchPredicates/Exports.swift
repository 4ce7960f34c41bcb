// Predicates use the model's values, so importing this module imports them as well.
@_exported public import ObjectModel
