package io.millrace.backend.testkit.server;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A server with the API of the Hugging Face Hub as its client library expects it, and a second one that it redirects to
 * for large files. Ranges of small files are ignored.
 */
public final class ScriptedHub implements AutoCloseable {
    private static final Pattern API = Pattern.compile(
            "/api/(models|datasets|spaces)/([^/]+/[^/]+|[^/]+)/(revision|tree)/([^/?]+)(?:/([^?]*))?(?:\\?(.*))?");
    private static final Pattern FILE =
            Pattern.compile("(?:/(datasets|spaces))?/([^/]+/[^/]+|[^/]+)/resolve/([^/]+)/([^?]+)(?:\\?.*)?");
    private static final Pattern PATHS =
            Pattern.compile("/api/(models|datasets|spaces)/([^/]+/[^/]+|[^/]+)/paths-info/([^/?]+)");
    private static final Pattern RANGE = Pattern.compile("bytes=([0-9]*)-([0-9]*)");

    private final int entriesPerPage;
    private final Map<String, Repository> repositories = new ConcurrentHashMap<>();
    private final Map<String, byte[]> stored = new ConcurrentHashMap<>();
    private final AtomicInteger failure = new AtomicInteger();
    private final AtomicInteger storageFailure = new AtomicInteger();
    private volatile String storageErrorCode = "";
    private final AtomicInteger padding = new AtomicInteger();
    private volatile EmptyPages emptyPages = EmptyPages.NONE;
    private volatile CountDownLatch gate = new CountDownLatch(0);
    private volatile CountDownLatch gateOfAll = new CountDownLatch(0);
    private final AtomicBoolean redirecting = new AtomicBoolean();
    private final AtomicBoolean rejecting = new AtomicBoolean();
    private final RecordingServer hub = new RecordingServer(request -> refusable(() -> answer(request)));
    private final RecordingServer storage = new RecordingServer(request -> refusable(() -> answerLarge(request)));

    /** A file at a commit. */
    private static final class StoredFile {
        private final byte[] bytes;
        private final boolean large;
        private final String gitId;
        private final String tag;

        StoredFile(byte[] bytes, boolean large) {
            this.bytes = bytes;
            this.large = large;
            this.gitId = HexFormat.of().formatHex(digest("SHA-1", bytes));
            this.tag = large ? HexFormat.of().formatHex(digest("SHA-256", bytes)) : gitId;
        }

        byte[] bytes() {
            return bytes;
        }

        boolean large() {
            return large;
        }

        String gitId() {
            return gitId;
        }

        String tag() {
            return tag;
        }
    }

    /** A repository: files by commit and path, and commits by branch. */
    public static final class Repository {
        private final Map<String, SortedMap<String, StoredFile>> commits = new ConcurrentHashMap<>();
        private final Map<String, String> branches = new ConcurrentHashMap<>();
        /** The commits that somebody has asked for. */
        private final Set<String> known = new HashSet<>();

        private Optional<String> token = Optional.empty();

        private Repository() {}

        /** Adds a small file, which the Hub itself sends. */
        public Repository small(String commit, String path, byte[] bytes) {
            return add(commit, path, new StoredFile(bytes, false));
        }

        /** Adds a large file, for which the Hub redirects. */
        public Repository large(String commit, String path, byte[] bytes) {
            return add(commit, path, new StoredFile(bytes, true));
        }

        /** Adds a commit without files. */
        public Repository emptyCommit(String commit) {
            commits.computeIfAbsent(commit, none -> new TreeMap<>());
            return this;
        }

        /** Adds a file to a branch: in a new commit, unless nobody has asked for the last one yet. */
        public synchronized void push(String branch, String path, byte[] bytes, boolean large) {
            String commit = Objects.requireNonNull(branches.get(branch), "no such branch");
            if (known.contains(commit)) {
                SortedMap<String, StoredFile> files = new TreeMap<>(files(commit));
                commit = ScriptedHub.commit(commits.size() + 1);
                commits.put(commit, files);
            }
            add(commit, path, new StoredFile(bytes, large));
            branches.put(branch, commit);
        }

        /** Lets a branch stand for a commit. */
        public Repository branch(String name, String commit) {
            branches.put(name, commit);
            return this;
        }

        /** Closes the repository to all but this token. */
        public Repository gatedFor(String accepted) {
            token = Optional.of(accepted);
            return this;
        }

        private Repository add(String commit, String path, StoredFile file) {
            commits.computeIfAbsent(commit, none -> new TreeMap<>()).put(path, file);
            return this;
        }

        private SortedMap<String, StoredFile> files(String commit) {
            return Objects.requireNonNull(commits.get(commit), "a commit without files");
        }

        private synchronized Optional<String> commit(String revision) {
            Optional<String> commit = Optional.ofNullable(branches.get(revision))
                    .or(() -> Optional.of(revision).filter(commits::containsKey));
            commit.ifPresent(known::add);
            return commit;
        }
    }

    /** The response to a request that is refused. */
    private static final class RefusalException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final transient PlannedResponse response;

        RefusalException(PlannedResponse response) {
            super("refused", null, false, false);
            this.response = response;
        }
    }

    /** Starts both servers on free ports of the loopback. Lists come in pages of two. */
    public ScriptedHub() {
        this(2);
    }

    /** Starts both servers, with lists in pages of so many entries. */
    public ScriptedHub(int entriesPerPage) {
        this.entriesPerPage = entriesPerPage;
    }

    /** Adds a repository, such as {@code models/org/name}. */
    public Repository repository(String name) {
        return repositories.computeIfAbsent(name, none -> new Repository());
    }

    /** Lets the Hub redirect small files to a path of its own, as the real one does. */
    public void redirectSmallFiles() {
        redirecting.set(true);
    }

    /** Lets the Hub know no token. */
    public void rejectTokens() {
        rejecting.set(true);
    }

    /** Lets the Hub answer all requests with this status; 0 ends that. */
    public void failWith(int status) {
        failure.set(status);
    }

    /** Lets the server of the large files answer all requests with this status; 0 ends that. */
    public void failStorageWith(int status) {
        storageFailure.set(status);
    }

    /** Lets the second server refuse as the Hub does, as if it were the Hub under another name. */
    public void refuseAtStorage(int status, String code) {
        storageErrorCode = code;
        storageFailure.set(status);
    }

    /** Adds this many bytes to each description of a revision. */
    public void padDescriptions(int bytes) {
        padding.set(bytes);
    }

    /** Ends each list with pages that have no entry. */
    public void endListsWith(EmptyPages pages) {
        emptyPages = pages;
    }

    /** The pages without entries behind those with some. */
    public enum EmptyPages {
        NONE,
        ONE,
        /** Each links to a further one. */
        ENDLESS
    }

    /**
     * Holds all answers of the Hub to lists back, until the returned action has run.
     */
    public Runnable holdLists() {
        CountDownLatch held = new CountDownLatch(1);
        gate = held;
        return held::countDown;
    }

    /** Holds all answers of the Hub back, until the returned action has run. */
    public Runnable holdAll() {
        CountDownLatch held = new CountDownLatch(1);
        gateOfAll = held;
        return held::countDown;
    }

    public String url() {
        return hub.uri().toString();
    }

    public String storageUrl() {
        return storage.uri() + "/";
    }

    /** Returns the requests at the Hub, in order. */
    public List<RecordedRequest> atHub() {
        return hub.requests();
    }

    /** Returns the requests at the server of the large files, in order. */
    public List<RecordedRequest> atStorage() {
        return storage.requests();
    }

    /** Forgets the requests up to now. */
    public void forgetRequests() {
        hub.forgetRequests();
        storage.forgetRequests();
    }

    /** Returns a commit of 40 digits. */
    public static String commit(int number) {
        return "%040x".formatted(number);
    }

    @Override
    public void close() {
        hub.close();
        storage.close();
    }

    private static PlannedResponse refusable(Supplier<PlannedResponse> answer) {
        try {
            return answer.get();
        } catch (RefusalException refusal) {
            return refusal.response;
        }
    }

    private PlannedResponse answer(RecordedRequest request) {
        awaitRelease(gateOfAll);
        Matcher api = API.matcher(request.target());
        Matcher file = FILE.matcher(request.target());
        Matcher paths = PATHS.matcher(request.target());
        if (failure.get() != 0) {
            return PlannedResponse.of(failure.get());
        }
        if (rejecting.get() && request.header("Authorization").isPresent()) {
            return unnamed("Invalid credentials in Authorization header");
        }
        if (api.matches()) {
            return describe(request, api);
        }
        if (file.matches()) {
            return resolve(request, file);
        }
        if (paths.matches() && request.method().equals("POST")) {
            return describePaths(request, paths);
        }
        if (stored.containsKey(request.target())) {
            byte[] bytes = Objects.requireNonNull(stored.get(request.target()));
            String tag = "\"%08x\"".formatted(Arrays.hashCode(bytes));
            return PlannedResponse.of(200, bytes, "ETag", tag, "Content-Type", "text/plain");
        }
        return request.target().startsWith("/api/models?") ? json("[]") : PlannedResponse.of(404);
    }

    private PlannedResponse describe(RecordedRequest request, Matcher api) {
        Commit commit = open(request, api.group(1) + "/" + api.group(2), api.group(4));
        if (!api.group(3).equals("revision")) {
            return list(request, api, commit.files());
        }
        String siblings = commit.files().keySet().stream()
                .map(path -> "{\"rfilename\":%s}".formatted(quoted(path)))
                .collect(Collectors.joining(","));
        return json(("{\"id\":\"%s\",\"sha\":\"%s\",\"lastModified\":\"2026-08-04T10:11:12.000Z\","
                        + "\"private\":false,\"tags\":[\"%s\"],\"siblings\":[%s]}")
                .formatted(api.group(2), commit.id(), "x".repeat(padding.get()), siblings));
    }

    private PlannedResponse describePaths(RecordedRequest request, Matcher target) {
        Commit commit = open(request, target.group(1) + "/" + target.group(2), target.group(3));
        Map<String, StoredFile> files = commit.files();
        String entries = Arrays.stream(request.text().split("&"))
                .filter(field -> field.startsWith("paths="))
                .map(field -> RecordedRequest.decoded(field.substring("paths=".length())))
                .filter(files::containsKey)
                .map(path -> entry(path, Objects.requireNonNull(files.get(path))))
                .collect(Collectors.joining(","));
        return json("[" + entries + "]");
    }

    private PlannedResponse list(RecordedRequest request, Matcher api, SortedMap<String, StoredFile> files) {
        awaitRelease(gate);
        String folder = api.group(5) == null ? "" : RecordedRequest.decoded(api.group(5)) + "/";
        String query = Optional.ofNullable(api.group(6)).orElse("");
        boolean recursive = query.toLowerCase(Locale.ROOT).contains("recursive=true");
        List<String> entries = new ArrayList<>();
        TreeSet<String> folders = new TreeSet<>();
        files.forEach((path, file) -> {
            if (!path.startsWith(folder)) {
                return;
            }
            int slash = path.indexOf('/', folder.length());
            while (slash > 0) {
                folders.add(path.substring(0, slash));
                slash = recursive ? path.indexOf('/', slash + 1) : -1;
            }
            if (recursive || path.indexOf('/', folder.length()) < 0) {
                entries.add(entry(path, file));
            }
        });
        // The Hub's order is not that of the keys.
        folders.descendingSet()
                .forEach(path -> entries.add(
                        0,
                        "{\"type\":\"directory\",\"oid\":\"%040d\",\"size\":0,\"path\":%s}"
                                .formatted(0, quoted(path))));
        if (entries.isEmpty() && !folder.isEmpty()) {
            return refusal(404, "EntryNotFound");
        }
        Matcher cursor = Pattern.compile("cursor=([0-9]+)").matcher(query);
        int first = cursor.find() ? Integer.parseInt(cursor.group(1)) : 0;
        int end = Math.max(first, Math.min(first + entriesPerPage, entries.size()));
        boolean emptyNext =
                emptyPages == EmptyPages.ENDLESS || (emptyPages == EmptyPages.ONE && first < entries.size());
        PlannedResponse page =
                json("[" + String.join(",", first < end ? entries.subList(first, end) : List.of()) + "]");
        return end < entries.size() || emptyNext
                ? page.with(
                        "Link",
                        "<%s%s?recursive=%s&cursor=%d>; rel=\"next\"".formatted(url(), request.path(), recursive, end))
                : page;
    }

    private static void awaitRelease(CountDownLatch held) {
        try {
            if (!held.await(60, TimeUnit.SECONDS)) {
                throw new IllegalStateException("held for too long");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private static String entry(String path, StoredFile file) {
        String large = file.large()
                ? ",\"lfs\":{\"oid\":\"%s\",\"size\":%d,\"pointerSize\":134},\"xetHash\":\"%064d\""
                        .formatted(file.tag(), file.bytes().length, 7)
                : "";
        return "{\"type\":\"file\",\"oid\":\"%s\",\"size\":%d,\"path\":%s%s}"
                .formatted(file.gitId(), file.bytes().length, quoted(path), large);
    }

    private static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        text.chars().forEach(c -> quoted.append(c < ' ' || c == '"' || c == '\\' ? "\\u%04x".formatted(c) : (char) c));
        return quoted.append('"').toString();
    }

    private PlannedResponse resolve(RecordedRequest request, Matcher target) {
        String kind = target.group(1) == null ? "models" : target.group(1);
        Commit commit = open(request, kind + "/" + target.group(2), target.group(3));
        @Nullable StoredFile file = commit.files().get(RecordedRequest.decoded(target.group(4)));
        PlannedResponse response = file == null
                ? refusal(404, "EntryNotFound")
                : send(kind, target.group(2), commit, target.group(4), file);
        return response.with("X-Repo-Commit", commit.id());
    }

    private PlannedResponse send(String kind, String name, Commit commit, String encodedPath, StoredFile file) {
        String tag = "\"" + file.tag() + "\"";
        if (!file.large() && redirecting.get()) {
            // As the real one: relative, with the slashes of the file's path encoded.
            String path = "/api/resolve-cache/%s/%s/%s/%s"
                    .formatted(kind, name, commit.id(), encodedPath.replace("/", "%2F"));
            stored.put(path, file.bytes());
            return PlannedResponse.of(307, "Location", path);
        }
        if (!file.large()) {
            return PlannedResponse.of(200, file.bytes(), "ETag", tag, "Content-Type", "text/plain");
        }
        stored.put("/" + file.tag(), file.bytes());
        return PlannedResponse.of(302, "Location", storageUrl() + file.tag() + "?Signature=abc")
                .with("X-Linked-Size", String.valueOf(file.bytes().length))
                .with("X-Linked-ETag", tag)
                .with("X-Xet-Hash", "%064d".formatted(7))
                .with("Link", "<%s/api/xet>; rel=\"xet-auth\"".formatted(url()));
    }

    /** A commit of a repository, with its files by path. */
    private record Commit(String id, SortedMap<String, StoredFile> files) {}

    /** Returns the commit of an encoded revision, or refuses the request. */
    private Commit open(RecordedRequest request, String name, String revision) {
        Repository repository = open(request, name);
        String commit = repository
                .commit(RecordedRequest.decoded(revision))
                .orElseThrow(() -> new RefusalException(refusal(404, "RevisionNotFound")));
        return new Commit(commit, repository.files(commit));
    }

    /** Returns a repository, or refuses the request. */
    private Repository open(RecordedRequest request, String name) {
        Optional<String> authorization = request.header("Authorization");
        @Nullable Repository repository = repositories.get(name);
        if (repository == null) {
            // It does not tell strangers what exists.
            throw new RefusalException(
                    authorization.isEmpty() ? unnamed("Invalid username or password.") : refusal(404, "RepoNotFound"));
        }
        boolean accepted = repository.token.isEmpty()
                || repository.token.map("Bearer "::concat).equals(authorization);
        if (!accepted) {
            throw new RefusalException(refusal(authorization.isEmpty() ? 401 : 403, "GatedRepo"));
        }
        return repository;
    }

    private PlannedResponse answerLarge(RecordedRequest request) {
        if (storageFailure.get() != 0) {
            return storageErrorCode.isEmpty()
                    ? PlannedResponse.of(storageFailure.get())
                    : refusal(storageFailure.get(), storageErrorCode);
        }
        byte @Nullable [] bytes = stored.get(request.path());
        if (bytes == null) {
            return PlannedResponse.of(404);
        }
        Matcher range = RANGE.matcher(request.header("Range").orElse(""));
        if (!range.matches()) {
            return PlannedResponse.of(200, bytes, "ETag", "\"of-the-storage\"", "Accept-Ranges", "bytes");
        }
        int first = (int)
                (range.group(1).isEmpty()
                        ? Math.max(0, bytes.length - Long.parseLong(range.group(2)))
                        : Math.min(Long.parseLong(range.group(1)), bytes.length));
        int last = range.group(1).isEmpty() || range.group(2).isEmpty()
                ? bytes.length - 1
                : (int) Math.min(Long.parseLong(range.group(2)), bytes.length - 1);
        if (first >= bytes.length) {
            return PlannedResponse.of(416, "Content-Range", "bytes */" + bytes.length);
        }
        return PlannedResponse.of(206, Arrays.copyOfRange(bytes, first, last + 1), "ETag", "\"of-the-storage\"")
                .with("Content-Range", "bytes %d-%d/%d".formatted(first, last, bytes.length));
    }

    private static PlannedResponse json(String text) {
        return PlannedResponse.text(200, text).with("Content-Type", "application/json; charset=utf-8");
    }

    private static PlannedResponse refusal(int status, String code) {
        return PlannedResponse.of(status, "X-Error-Code", code, "X-Error-Message", "of the Hub");
    }

    private static PlannedResponse unnamed(String message) {
        return PlannedResponse.of(401, "X-Error-Message", message);
    }

    private static byte[] digest(String algorithm, byte[] bytes) {
        try {
            return MessageDigest.getInstance(algorithm).digest(bytes);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
