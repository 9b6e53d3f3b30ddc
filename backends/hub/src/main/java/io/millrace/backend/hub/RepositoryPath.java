package io.millrace.backend.hub;

import io.millrace.backend.http.ObjectKeyEncoding;
import io.millrace.backend.spi.object.ObjectKey;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A key or prefix as {@code ORGANISATION/NAME/REVISION/PATH}. A slash in the revision is {@code %2F}, as in the Hub's
 * own URLs.
 *
 * @param prefix the components before the path, as the key has them, with a slash at the end
 * @param revision a commit, branch or tag, decoded
 * @param path of a file, or the beginning of one; may be empty
 */
record RepositoryPath(Repository repository, String prefix, String revision, String path) {
    private static final Pattern COMMIT = Pattern.compile("[0-9a-f]{40}");

    /** Escapes, and the characters of names in git but the slash. Possessive, as else each takes some of the stack. */
    private static final Pattern REVISION = Pattern.compile("(?:[A-Za-z0-9._@+=,!$&'()-]|%[0-9A-Fa-f]{2})++");

    /** Components that servers resolve or drop, and folders, which git has only with files in them. */
    private static final Pattern UNUSABLE = Pattern.compile("(^|[/\\\\])\\.{0,2}([/\\\\]|$)");

    /** Parses a key or prefix; empty if it does not reach into a revision, or no revision has such a name. */
    static Optional<RepositoryPath> parse(RepositoryKind kind, String text) {
        String[] components = text.split("/", 4);
        if (components.length < 4 || !REVISION.matcher(components[2]).matches()) {
            return Optional.empty();
        }
        String prefix = text.substring(0, text.length() - components[3].length());
        String revision = URLDecoder.decode(components[2].replace("+", "%2B"), StandardCharsets.UTF_8);
        boolean sound = revision.indexOf('\uFFFD') < 0
                && revision.chars().noneMatch(c -> c <= ' ' || c == 0x7F)
                && !UNUSABLE.matcher(revision).find();
        return sound
                ? Repository.of(kind, components[0], components[1])
                        .map(found -> new RepositoryPath(found, prefix, revision, components[3]))
                : Optional.empty();
    }

    /** Returns whether the path can be that of a file. */
    boolean isFile() {
        return !path.isEmpty() && !UNUSABLE.matcher(path).find();
    }

    /** Returns whether the revision is a commit, which is immutable. */
    boolean isCommit() {
        return COMMIT.matcher(revision).matches();
    }

    /** Returns the encoded path of the file at a commit. */
    String filePath(String commit) {
        return repository.filePath() + "/resolve/" + commit + "/" + ObjectKeyEncoding.encode(new ObjectKey(path));
    }

    /** Returns the path of the API, below {@code /api/}, that tells the commit of the revision. */
    String revisionPath() {
        return repository.apiPath() + "/revision/"
                + ObjectKeyEncoding.encode(new ObjectKey(revision)).replace("/", "%2F");
    }
}
