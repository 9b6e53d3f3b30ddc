package io.millrace.backend.testkit.server;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
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
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A server with the API of the Hugging Face Hub as its client library expects it, and a second one that it redirects to for large
 * files. Ranges of small files are ignored.
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
    private final HttpServer hub;
    private final HttpServer storage;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final Map<String, Repository> repositories = new ConcurrentHashMap<>();
    private final Map<String, byte[]> stored = new ConcurrentHashMap<>();
    private final List<Received> atHub = Collections.synchronizedList(new ArrayList<>());
    private final List<Received> atStorage = Collections.synchronizedList(new ArrayList<>());
    private final AtomicInteger failure = new AtomicInteger();
    private final AtomicInteger storageFailure = new AtomicInteger();
    private volatile String storageErrorCode = "";
    private final AtomicInteger padding = new AtomicInteger();
    private volatile EmptyPages emptyPages = EmptyPages.NONE;
    private volatile CountDownLatch gate = new CountDownLatch(0);
    private volatile CountDownLatch gateOfAll = new CountDownLatch(0);
    private final AtomicBoolean redirecting = new AtomicBoolean();
    private final AtomicBoolean rejecting = new AtomicBoolean();

    /** A request as received. */
    public record Received(String method, String target, Optional<String> authorization, Optional<String> range) {}

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

    /** Starts both servers on free ports of the loopback. Lists come in pages of two. */
    public ScriptedHub() throws IOException {
        this(2);
    }

    /** Starts both servers, with lists in pages of so many entries. */
    public ScriptedHub(int entriesPerPage) throws IOException {
        this.entriesPerPage = entriesPerPage;
        hub = server(this::answer);
        storage = server(this::answerLarge);
    }

    private HttpServer server(Responder responder) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", exchange -> {
            try (exchange) {
                responder.respond(exchange);
            }
        });
        server.start();
        return server;
    }

    /** Answers one request. */
    @FunctionalInterface
    private interface Responder {
        void respond(HttpExchange exchange) throws IOException;
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
        return "http://127.0.0.1:" + hub.getAddress().getPort();
    }

    public String storageUrl() {
        return "http://127.0.0.1:" + storage.getAddress().getPort() + "/";
    }

    /** Returns the requests at the Hub, in order. */
    public List<Received> atHub() {
        return List.copyOf(atHub);
    }

    /** Returns the requests at the server of the large files, in order. */
    public List<Received> atStorage() {
        return List.copyOf(atStorage);
    }

    /** Forgets the requests up to now. */
    public void forgetRequests() {
        atHub.clear();
        atStorage.clear();
    }

    /** Returns a commit of 40 digits. */
    public static String commit(int number) {
        return "%040x".formatted(number);
    }

    @Override
    public void close() {
        hub.stop(0);
        storage.stop(0);
        threads.shutdown();
    }

    private void answer(HttpExchange exchange) throws IOException {
        Received received = received(exchange);
        atHub.add(received);
        awaitRelease(gateOfAll);
        Matcher api = API.matcher(received.target());
        Matcher file = FILE.matcher(received.target());
        Matcher paths = PATHS.matcher(received.target());
        if (failure.get() != 0) {
            send(exchange, failure.get(), new byte[0]);
        } else if (rejecting.get() && received.authorization().isPresent()) {
            refuseUnnamed(exchange, "Invalid credentials in Authorization header");
        } else if (api.matches()) {
            describe(exchange, received, api);
        } else if (file.matches()) {
            resolve(exchange, received, file);
        } else if (paths.matches() && received.method().equals("POST")) {
            describePaths(exchange, received, paths);
        } else if (stored.containsKey(received.target())) {
            byte[] bytes = stored.get(received.target());
            send(
                    exchange,
                    200,
                    bytes,
                    "ETag",
                    "\"%08x\"".formatted(Arrays.hashCode(bytes)),
                    "Content-Type",
                    "text/plain");
        } else if (received.target().startsWith("/api/models?")) {
            send(exchange, 200, "[]".getBytes(StandardCharsets.UTF_8), "Content-Type", "application/json");
        } else {
            send(exchange, 404, new byte[0]);
        }
    }

    private void describe(HttpExchange exchange, Received received, Matcher api) throws IOException {
        @Nullable Commit commit = open(exchange, received, api.group(1) + "/" + api.group(2), api.group(4));
        if (commit == null) {
            return;
        }
        SortedMap<String, StoredFile> files = commit.files();
        if (api.group(3).equals("revision")) {
            String siblings = files.keySet().stream()
                    .map(path -> "{\"rfilename\":%s}".formatted(quoted(path)))
                    .collect(Collectors.joining(","));
            json(
                    exchange,
                    "{\"id\":\"%s\",\"sha\":\"%s\",\"lastModified\":\"2026-08-04T10:11:12.000Z\",\"private\":false,\"tags\":[\"%s\"],\"siblings\":[%s]}"
                            .formatted(api.group(2), commit.id(), "x".repeat(padding.get()), siblings));
        } else {
            list(exchange, received, api, files);
        }
    }

    private void describePaths(HttpExchange exchange, Received received, Matcher target) throws IOException {
        String form = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.US_ASCII);
        @Nullable Commit commit = open(exchange, received, target.group(1) + "/" + target.group(2), target.group(3));
        if (commit == null) {
            return;
        }
        Map<String, StoredFile> files = commit.files();
        String entries = Arrays.stream(form.split("&"))
                .filter(field -> field.startsWith("paths="))
                .map(field -> decoded(field.substring("paths=".length())))
                .filter(files::containsKey)
                .map(path -> entry(path, Objects.requireNonNull(files.get(path))))
                .collect(Collectors.joining(","));
        json(exchange, "[" + entries + "]");
    }

    private void list(HttpExchange exchange, Received received, Matcher api, SortedMap<String, StoredFile> files)
            throws IOException {
        awaitRelease(gate);
        String folder = api.group(5) == null ? "" : decoded(api.group(5)) + "/";
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
            refuse(exchange, 404, "EntryNotFound");
            return;
        }
        Matcher cursor = Pattern.compile("cursor=([0-9]+)").matcher(query);
        int first = cursor.find() ? Integer.parseInt(cursor.group(1)) : 0;
        int end = Math.max(first, Math.min(first + entriesPerPage, entries.size()));
        boolean emptyNext =
                emptyPages == EmptyPages.ENDLESS || (emptyPages == EmptyPages.ONE && first < entries.size());
        if (end < entries.size() || emptyNext) {
            String path = received.target().replaceFirst("\\?.*", "");
            exchange.getResponseHeaders()
                    .set("Link", "<%s%s?recursive=%s&cursor=%d>; rel=\"next\"".formatted(url(), path, recursive, end));
        }
        json(exchange, "[" + String.join(",", first < end ? entries.subList(first, end) : List.of()) + "]");
    }

    private static void awaitRelease(CountDownLatch held) throws IOException {
        try {
            if (!held.await(60, TimeUnit.SECONDS)) {
                throw new IOException("held for too long");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
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

    private void resolve(HttpExchange exchange, Received received, Matcher target) throws IOException {
        String kind = target.group(1) == null ? "models" : target.group(1);
        @Nullable Commit commit = open(exchange, received, kind + "/" + target.group(2), target.group(3));
        if (commit == null) {
            return;
        }
        exchange.getResponseHeaders().set("X-Repo-Commit", commit.id());
        @Nullable StoredFile file = commit.files().get(decoded(target.group(4)));
        if (file == null) {
            refuse(exchange, 404, "EntryNotFound");
            return;
        }
        if (!file.large() && redirecting.get()) {
            // As the real one: relative, with the slashes of the file's path encoded.
            String path = "/api/resolve-cache/%s/%s/%s/%s"
                    .formatted(
                            kind, target.group(2), commit.id(), target.group(4).replace("/", "%2F"));
            stored.put(path, file.bytes());
            send(exchange, 307, new byte[0], "Location", path);
            return;
        }
        if (!file.large()) {
            send(exchange, 200, file.bytes(), "ETag", "\"" + file.tag() + "\"", "Content-Type", "text/plain");
            return;
        }
        stored.put("/" + file.tag(), file.bytes());
        send(
                exchange,
                302,
                new byte[0],
                "Location",
                storageUrl() + file.tag() + "?Signature=abc",
                "X-Linked-Size",
                String.valueOf(file.bytes().length),
                "X-Linked-ETag",
                "\"" + file.tag() + "\"",
                "X-Xet-Hash",
                "%064d".formatted(7),
                "Link",
                "<%s/api/xet>; rel=\"xet-auth\"".formatted(url()));
    }

    /** A commit of a repository, with its files by path. */
    private record Commit(String id, SortedMap<String, StoredFile> files) {}

    /** Returns the commit of an encoded revision; null after the request is refused. */
    private @Nullable Commit open(HttpExchange exchange, Received received, String name, String revision)
            throws IOException {
        @Nullable Repository repository = open(exchange, received, name);
        if (repository == null) {
            return null;
        }
        Optional<String> commit = repository.commit(decoded(revision));
        if (commit.isEmpty()) {
            refuse(exchange, 404, "RevisionNotFound");
            return null;
        }
        return new Commit(commit.get(), repository.files(commit.get()));
    }

    /** Returns a repository; null after the request is refused. */
    private @Nullable Repository open(HttpExchange exchange, Received received, String name) throws IOException {
        @Nullable Repository repository = repositories.get(name);
        if (repository == null && received.authorization().isEmpty()) {
            // It does not tell strangers what exists.
            refuseUnnamed(exchange, "Invalid username or password.");
            return null;
        }
        if (repository == null) {
            refuse(exchange, 404, "RepoNotFound");
            return null;
        }
        boolean accepted = repository.token.isEmpty()
                || repository.token.map("Bearer "::concat).equals(received.authorization());
        if (!accepted) {
            refuse(exchange, received.authorization().isEmpty() ? 401 : 403, "GatedRepo");
            return null;
        }
        return repository;
    }

    private void answerLarge(HttpExchange exchange) throws IOException {
        Received received = received(exchange);
        atStorage.add(received);
        if (storageFailure.get() != 0) {
            if (storageErrorCode.isEmpty()) {
                send(exchange, storageFailure.get(), new byte[0]);
            } else {
                refuse(exchange, storageFailure.get(), storageErrorCode);
            }
            return;
        }
        byte @Nullable [] bytes = stored.get(received.target().replaceFirst("\\?.*", ""));
        if (bytes == null) {
            send(exchange, 404, new byte[0]);
            return;
        }
        Matcher range = RANGE.matcher(received.range().orElse(""));
        if (!range.matches()) {
            send(exchange, 200, bytes, "ETag", "\"of-the-storage\"", "Accept-Ranges", "bytes");
            return;
        }
        int first = (int)
                (range.group(1).isEmpty()
                        ? Math.max(0, bytes.length - Long.parseLong(range.group(2)))
                        : Math.min(Long.parseLong(range.group(1)), bytes.length));
        int last = range.group(1).isEmpty() || range.group(2).isEmpty()
                ? bytes.length - 1
                : (int) Math.min(Long.parseLong(range.group(2)), bytes.length - 1);
        if (first >= bytes.length) {
            send(exchange, 416, new byte[0], "Content-Range", "bytes */" + bytes.length);
            return;
        }
        send(
                exchange,
                206,
                Arrays.copyOfRange(bytes, first, last + 1),
                "ETag",
                "\"of-the-storage\"",
                "Content-Range",
                "bytes %d-%d/%d".formatted(first, last, bytes.length));
    }

    private static void json(HttpExchange exchange, String text) throws IOException {
        send(exchange, 200, text.getBytes(StandardCharsets.UTF_8), "Content-Type", "application/json; charset=utf-8");
    }

    private static void refuse(HttpExchange exchange, int status, String code) throws IOException {
        send(exchange, status, new byte[0], "X-Error-Code", code, "X-Error-Message", "of the Hub");
    }

    private static void refuseUnnamed(HttpExchange exchange, String message) throws IOException {
        send(exchange, 401, new byte[0], "X-Error-Message", message);
    }

    private static void send(HttpExchange exchange, int status, byte[] body, String... fields) throws IOException {
        Headers headers = exchange.getResponseHeaders();
        for (int i = 0; i < fields.length; i += 2) {
            headers.set(fields[i], fields[i + 1]);
        }
        if (exchange.getRequestMethod().equals("HEAD")) {
            headers.set("Content-Length", String.valueOf(body.length));
            exchange.sendResponseHeaders(status, -1);
        } else {
            exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
            exchange.getResponseBody().write(body);
        }
    }

    private static Received received(HttpExchange exchange) {
        Headers headers = exchange.getRequestHeaders();
        return new Received(
                exchange.getRequestMethod(),
                exchange.getRequestURI().toString(),
                Optional.ofNullable(headers.getFirst("Authorization")),
                Optional.ofNullable(headers.getFirst("Range")));
    }

    private static String decoded(String text) {
        return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    }

    private static byte[] digest(String algorithm, byte[] bytes) {
        try {
            return MessageDigest.getInstance(algorithm).digest(bytes);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
