package io.millrace.gateway.s3.configuration;

import io.millrace.auth.SignedRequest;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.RequestForwarder.QueryParameter;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.HeaderList.HeaderField;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.s3.bucket.ForwardedHeaders;
import io.millrace.gateway.s3.gate.AuthorizedRequest;
import io.millrace.gateway.s3.protocol.S3Request;
import io.millrace.gateway.s3.routing.Router;
import io.millrace.gateway.s3.routing.UnknownField;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Decides whether fields that nobody knows may go to a backend, and which fields go with them. Names are allowed, never denied: the
 * client's signature, date, hashes and the fields of its connection are not among those.
 */
final class UnknownFieldPolicy {
    private static final String COPY_SOURCE = "x-amz-copy-source";
    private static final String BYPASS = "x-amz-bypass-governance-retention";

    /** What a read may say besides what {@link ForwardedHeaders} has. */
    private static final List<String> OF_A_READ =
            List.of("range", "if-match", "if-none-match", "if-modified-since", "if-unmodified-since");

    /** What changes the meaning of a read or write and is not passed on with unknown fields. */
    private static final Set<String> NEVER_OF_A_READ = Set.of("if-range");

    /** Whether a server keeps a condition together with what nobody knows, nobody knows either. */
    private static final Set<String> NEVER_OF_A_WRITE = Set.of(
            "if-match",
            "if-none-match",
            "if-modified-since",
            "if-unmodified-since",
            "x-amz-if-match-initiated-time",
            "x-amz-if-match-last-modified-time",
            "x-amz-if-match-size",
            COPY_SOURCE);

    private UnknownFieldPolicy() {}

    /**
     * Refuses the unknown fields of a request where they are not forwarded.
     *
     * @throws S3Exception NotImplemented that names the field and the setting
     */
    static void require(AuthorizedRequest admission, BucketView bucket) {
        UnknownField first = admission.unknownFields().get(0);
        if (!bucket.prefix().isEmpty()) {
            throw first.refused("the bucket has a prefix, and nobody knows whether the field would reach beyond it.");
        }
        if (!bucket.backend().capabilities().contains(Capability.FORWARD)) {
            throw first.refused("the backend of this bucket does not speak S3.");
        }
        Set<String> hopByHop = hopByHop(admission.request());
        boolean all = admission.canConfigure(bucket.name());
        for (UnknownField field : admission.unknownFields()) {
            String name = field.lowerCaseName();
            if (hopByHop.contains(name)) {
                throw field.refused("Connection names it, so it is for this connection only.");
            }
            if (!all && !bucket.forwardUnknown().contains(name)) {
                throw field.refused("you have no admin on the whole bucket, and forward-unknown does not list it.");
            }
        }
    }

    /**
     * The header fields for the backend.
     *
     * @throws S3Exception NotImplemented for what is not done together with unknown fields; as {@link ForwardedHeaders#of}
     */
    static HeaderList headers(AuthorizedRequest admission, BucketView bucket) {
        S3Request request = admission.request();
        boolean reads = request.isRead();
        for (String name : reads ? NEVER_OF_A_READ : NEVER_OF_A_WRITE) {
            if (request.amzField(name).isPresent()) {
                throw admission.unknownFields().get(0).refused("not together with %s.".formatted(name));
            }
        }
        if (request.amzField(BYPASS).isPresent() && !admission.canAdminister()) {
            throw new S3Exception(S3ErrorCode.ACCESS_DENIED);
        }
        admission.unknownFields().forEach(field -> requireSent(request, field));
        List<String> more = reads ? OF_A_READ : List.of();
        return new HeaderList(Stream.concat(
                        ForwardedHeaders.of(admission, bucket).fields().stream(),
                        more.stream()
                                .filter(name -> request.headers().first(name).isPresent())
                                .map(name -> new HeaderField(name, value(request, name))))
                .toList());
    }

    /** All unknown fields are sent, or none: a header that stands in the query as well would win over it, a checksum there is left out. */
    private static void requireSent(S3Request request, UnknownField field) {
        String name = field.lowerCaseName();
        if (!name.startsWith("x-amz-")) {
            return;
        }
        long inQuery = request.query().stream()
                .filter(parameter -> parameter.name().equalsIgnoreCase(name))
                .count();
        if (inQuery > 1 || (inQuery == 1 && request.headers().first(name).isPresent())) {
            throw new S3Exception(S3ErrorCode.INVALID_ARGUMENT, "The field comes twice")
                    .with("ArgumentName", field.name());
        }
        if (inQuery == 1 && name.contains("checksum")) {
            throw field.refused("a checksum in the query is of no body.");
        }
    }

    /**
     * The parameters for the backend.
     *
     * @throws S3Exception InvalidArgument for one that comes twice: servers differ in which counts
     */
    static List<QueryParameter> parameters(S3Request request) {
        Map<String, QueryParameter> parameters = new LinkedHashMap<>();
        for (SignedRequest.Parameter parameter : Router.parameters(request)) {
            QueryParameter sent = new QueryParameter(parameter.name(), parameter.value());
            if (parameters.put(parameter.name(), sent) != null) {
                throw new S3Exception(S3ErrorCode.INVALID_ARGUMENT, "The parameter comes twice")
                        .with("ArgumentName", parameter.name());
            }
        }
        return List.copyOf(parameters.values());
    }

    private static String value(S3Request request, String name) {
        return String.join(",", request.headers().all(name));
    }

    private static Set<String> hopByHop(S3Request request) {
        return request.headers().all("connection").stream()
                .flatMap(value -> Stream.of(value.split(",", -1)))
                .map(name -> name.strip().toLowerCase(Locale.ROOT))
                .collect(Collectors.toSet());
    }
}
