package io.millrace.backend.hub;

import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A repository by its kind and id, {@code organisation/name}, or {@code name} alone for the few that have no
 * organisation.
 */
record Repository(RepositoryKind kind, String id) {
    /** Stands in keys for the organisation of a repository that has none; no organisation has this name. */
    private static final String NO_ORGANISATION = "_";

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9._-]{0,95}");

    /**
     * Returns the repository that the first two components of a key name; empty if no repository has such a name.
     */
    static Optional<Repository> of(RepositoryKind kind, String organisation, String name) {
        if (!isName(organisation) || !isName(name)) {
            return Optional.empty();
        }
        return Optional.of(
                new Repository(kind, organisation.equals(NO_ORGANISATION) ? name : organisation + "/" + name));
    }

    /** Returns the path of the API below {@code /api/}. */
    String apiPath() {
        return kind.text() + "/" + id;
    }

    /** Returns the path of its files. */
    String filePath() {
        return kind.filePrefix() + "/" + id;
    }

    private static boolean isName(String text) {
        return NAME.matcher(text).matches() && !text.contains("..");
    }
}
