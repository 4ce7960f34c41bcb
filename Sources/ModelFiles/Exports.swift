// What a file holds are entities, and requests for their objects.
@_exported public import FetchPredicates
