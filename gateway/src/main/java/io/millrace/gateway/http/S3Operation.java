package io.millrace.gateway.http;

import io.millrace.auth.Right;
import io.millrace.gateway.http.RequestTarget.Level;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The operations that are served. Each row says how a request asks for it, which parameters it understands, and which
 * right it needs. Everything else is NotImplemented.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_Operations_Amazon_Simple_Storage_Service.html">
 *     S3's operations</a>
 */
public enum S3Operation {
    LIST_BUCKETS("ListBuckets", "GET", Level.SERVICE, null, null, Set.of()),
    HEAD_BUCKET("HeadBucket", "HEAD", Level.BUCKET, null, null, Set.of()),
    GET_BUCKET_LOCATION("GetBucketLocation", "GET", Level.BUCKET, "location", null, Set.of("location")),
    LIST_OBJECTS_V2(
            "ListObjectsV2",
            "GET",
            Level.BUCKET,
            "list-type",
            Right.LIST,
            Set.of(
                    "list-type",
                    "prefix",
                    "delimiter",
                    "max-keys",
                    "encoding-type",
                    "start-after",
                    "continuation-token",
                    "fetch-owner")),
    LIST_OBJECTS(
            "ListObjects",
            "GET",
            Level.BUCKET,
            null,
            Right.LIST,
            Set.of("prefix", "delimiter", "max-keys", "encoding-type", "marker")),
    HEAD_OBJECT("HeadObject", "HEAD", Level.OBJECT, null, Right.READ, ObjectParameters.OF_A_READ),
    GET_OBJECT("GetObject", "GET", Level.OBJECT, null, Right.READ, ObjectParameters.OF_A_READ);

    private final String wireName;
    private final String method;
    private final Level level;
    private final Optional<String> selector;
    private final Optional<Right> right;

    @SuppressWarnings("ImmutableEnumChecker") // always of Set.of, which never changes
    private final Set<String> parameters;

    S3Operation(
            String wireName,
            String method,
            Level level,
            @Nullable String selector,
            @Nullable Right right,
            Set<String> parameters) {
        this.wireName = wireName;
        this.method = method;
        this.level = level;
        this.selector = Optional.ofNullable(selector);
        this.right = Optional.ofNullable(right);
        this.parameters = parameters;
    }

    /** S3's name for it, also in metrics and logs. */
    public String wireName() {
        return wireName;
    }

    public String method() {
        return method;
    }

    public Level level() {
        return level;
    }

    /** The parameter whose presence asks for it; none if it is what the bare method and level mean. */
    public Optional<String> selector() {
        return selector;
    }

    /**
     * The right it needs on its bucket. None: about a bucket, whoever has any right there may ask; about the service, every
     * signed identity, and sees what is its own.
     */
    public Optional<Right> right() {
        return right;
    }

    /** The parameters it understands, besides those of signatures. */
    public Set<String> parameters() {
        return parameters;
    }

    /** Constants that enum constants may use. */
    private static final class ObjectParameters {
        static final Set<String> OF_A_READ = Set.of(
                "versionId",
                "partNumber",
                "response-content-type",
                "response-content-language",
                "response-expires",
                "response-cache-control",
                "response-content-disposition",
                "response-content-encoding");
    }
}
