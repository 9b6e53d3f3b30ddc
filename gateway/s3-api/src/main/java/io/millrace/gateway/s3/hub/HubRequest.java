package io.millrace.gateway.s3.hub;

import io.millrace.auth.SignedRequest.Parameter;
import io.millrace.backend.http.ObjectKeyEncoding;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.gateway.error.PercentDecoder;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A request of the Hub's protocol, parsed once from the raw target.
 *
 * @param what the thing that is asked for
 * @param repository the repository's kind and id, such as {@code models/org/name}
 * @param revision decoded
 * @param path of the file or folder, decoded; may be empty but for files
 * @param query encoded, without a question mark; empty for files
 */
record HubRequest(Subject what, RepositoryName repository, String revision, String path, String query) {
    private static final String DEFAULT_BRANCH = "main";
    private static final Pattern COMMIT = Pattern.compile("[0-9a-f]{40}");
    private static final Pattern ID = Pattern.compile("[A-Za-z0-9._-]+(?:/[A-Za-z0-9._-]+)?");

    /** The things that a request asks for. */
    enum Subject {
        FILE,
        /** A file as git has it: of a large one, the text that points to it. */
        RAW_FILE,
        REVISION,
        TREE,
        /** The files and folders at some paths, which the body of the request names. */
        PATHS
    }

    /**
     * The name of a repository.
     *
     * @param kind models, datasets or spaces
     * @param id {@code organisation/name}, or {@code name} alone
     */
    record RepositoryName(String kind, String id) {
        /** Returns the beginning of the keys of its files at the backend. */
        String keyPrefix() {
            return id.indexOf('/') < 0 ? "_/" + id : id;
        }
    }

    /**
     * Parses a target; empty if it is none of those that are served.
     *
     * @throws S3Exception (400) for an invalid escape, text that is not UTF-8, or too many parameters
     */
    static Optional<HubRequest> parse(String rawTarget) {
        int mark = rawTarget.indexOf('?');
        String rawPath = mark < 0 ? rawTarget : rawTarget.substring(0, mark);
        if (!rawPath.startsWith("/")) {
            return Optional.empty();
        }
        List<String> components = List.of(rawPath.substring(1).split("/", -1)).stream()
                .map(PercentDecoder::decodePath)
                .toList();
        if (!components.get(0).equals("api")) {
            return file(components).filter(HubRequest::isNamed);
        }
        List<Parameter> query = mark < 0 ? List.of() : PercentDecoder.decodeQuery(rawTarget.substring(mark + 1));
        return components.size() > 2 && isKind(components.get(1))
                ? document(components.get(1), components.subList(2, components.size()), encoded(query))
                        .filter(HubRequest::isNamed)
                : Optional.empty();
    }

    boolean isCommit() {
        return COMMIT.matcher(revision).matches();
    }

    /** Returns whether the answer for a commit never changes. */
    boolean isImmutable() {
        return switch (what) {
            case FILE, RAW_FILE -> true;
            case REVISION -> false;
            case TREE, PATHS -> !query.contains("expand=true");
        };
    }

    /** Returns the request for the same at a commit. */
    HubRequest at(String commit) {
        return new HubRequest(what, repository, commit, path, query);
    }

    /** Returns the request for the file, wherever the Hub keeps it. */
    HubRequest asFile() {
        return new HubRequest(Subject.FILE, repository, revision, path, query);
    }

    /** Returns the request with the parameters that came in its body. */
    HubRequest with(List<Parameter> body) {
        return new HubRequest(what, repository, revision, path, encoded(body));
    }

    /** Returns the request for the description of the revision. */
    HubRequest description() {
        return new HubRequest(Subject.REVISION, repository, revision, "", "");
    }

    /**
     * Returns the key at the backend, in the bucket of the repository's kind for a file, or else in that of the
     * documents.
     *
     * @throws S3Exception KeyTooLong
     */
    ObjectKey key() {
        return switch (what) {
            case FILE, RAW_FILE -> key("%s/%s/%s".formatted(repository.keyPrefix(), encoded(revision), path));
            case REVISION ->
                key("%s/%s/revision/%s%s"
                        .formatted(repository.kind(), repository.id(), encoded(revision), queryPart()));
            case PATHS ->
                key("%s/%s/paths-info/%s%s"
                        .formatted(repository.kind(), repository.id(), encoded(revision), queryPart()));
            case TREE ->
                key("%s/%s/tree/%s%s%s"
                        .formatted(
                                repository.kind(),
                                repository.id(),
                                encoded(revision),
                                path.isEmpty() ? "" : "/" + encoded(path),
                                queryPart()));
        };
    }

    private String queryPart() {
        return query.isEmpty() ? "" : "?" + query;
    }

    /** Returns whether a repository may have this name, which goes into keys as it is. */
    private static boolean isNamed(HubRequest request) {
        return ID.matcher(request.repository().id()).matches();
    }

    private static Optional<HubRequest> file(List<String> components) {
        boolean hasKind = isKind(components.get(0)) && !components.get(0).equals("models");
        String kind = hasKind ? components.get(0) : "models";
        List<String> rest = hasKind ? components.subList(1, components.size()) : components;
        int at = rest.size() > 2 && isOfFiles(rest.get(2)) ? 2 : rest.size() > 1 && isOfFiles(rest.get(1)) ? 1 : 0;
        if (at == 0 || rest.size() < at + 3) {
            return Optional.empty();
        }
        return Optional.of(new HubRequest(
                rest.get(at).equals("raw") ? Subject.RAW_FILE : Subject.FILE,
                new RepositoryName(kind, String.join("/", rest.subList(0, at))),
                rest.get(at + 1),
                String.join("/", rest.subList(at + 2, rest.size())),
                ""));
    }

    private static boolean isOfFiles(String component) {
        return component.equals("resolve") || component.equals("raw");
    }

    private static Optional<HubRequest> document(String kind, List<String> rest, String query) {
        int at = rest.size() > 2 && subject(rest.get(2)).isPresent()
                ? 2
                : rest.size() > 2 && subject(rest.get(1)).isPresent() ? 1 : 0;
        if (at == 0) {
            return rest.size() <= 2
                    ? Optional.of(new HubRequest(
                            Subject.REVISION,
                            new RepositoryName(kind, String.join("/", rest)),
                            DEFAULT_BRANCH,
                            "",
                            query))
                    : Optional.empty();
        }
        Subject what = subject(rest.get(at)).orElseThrow();
        boolean isComplete = what == Subject.TREE ? rest.size() > at + 1 : rest.size() == at + 2;
        return isComplete
                ? Optional.of(new HubRequest(
                        what,
                        new RepositoryName(kind, String.join("/", rest.subList(0, at))),
                        rest.get(at + 1),
                        String.join("/", rest.subList(at + 2, rest.size())),
                        query))
                : Optional.empty();
    }

    private static Optional<Subject> subject(String component) {
        return switch (component) {
            case "revision" -> Optional.of(Subject.REVISION);
            case "tree" -> Optional.of(Subject.TREE);
            case "paths-info" -> Optional.of(Subject.PATHS);
            default -> Optional.empty();
        };
    }

    private static boolean isKind(String component) {
        return component.equals("models") || component.equals("datasets") || component.equals("spaces");
    }

    /** Writes a query in one way, so that clients share what they ask for in different ones. */
    private static String encoded(List<Parameter> query) {
        return query.stream()
                .filter(parameter -> !parameter.name().isEmpty())
                .map(parameter -> encoded(parameter.name()) + "=" + encodedValue(parameter))
                .sorted()
                .collect(Collectors.joining("&"));
    }

    /**
     * Returns a value as it stands in the key. Flags are in small letters, as clients write them in capitals or not; a
     * file may be named True.
     */
    private static String encodedValue(Parameter parameter) {
        String lower = parameter.value().toLowerCase(Locale.ROOT);
        boolean isFlag = (lower.equals("true") || lower.equals("false"))
                && !parameter.name().equals(PathsBody.PATHS);
        return isFlag ? lower : encoded(parameter.value());
    }

    private static String encoded(String text) {
        return text.isEmpty() ? "" : ObjectKeyEncoding.encode(key(text)).replace("/", "%2F");
    }

    private static ObjectKey key(String text) {
        try {
            return new ObjectKey(text);
        } catch (IllegalArgumentException tooLong) {
            throw new S3Exception(S3ErrorCode.KEY_TOO_LONG);
        }
    }
}
