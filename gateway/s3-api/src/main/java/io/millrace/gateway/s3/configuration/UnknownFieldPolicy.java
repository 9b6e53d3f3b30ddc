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
import io.millrace.gateway.s3.protocol.Router;
import io.millrace.gateway.s3.protocol.S3Request;
import io.millrace.gateway.s3.protocol.UnknownField;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Decides whether unknown fields may be forwarded to a backend, and which other fields go with them. It works by an
 * allow list, which leaves out the client's signature, date, hashes and connection headers.
 */
final class UnknownFieldPolicy {
    private static final String COPY_SOURCE = "x-amz-copy-source";
    private static final String BYPASS = "x-amz-bypass-governance-retention";

    /** Headers of a read that are forwarded besides those of {@link ForwardedHeaders}. */
    private static final List<String> OF_A_READ =
            List.of("range", "if-match", "if-none-match", "if-modified-since", "if-unmodified-since");

    /** Headers of a read that are rejected together with unknown fields. */
    private static final Set<String> NEVER_OF_A_READ = Set.of("if-range");

    /**
     * Headers of a write that are rejected together with unknown fields, because a server may ignore the condition
     * then.
     */
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
     * Rejects unknown fields that may not be forwarded.
     *
     * @throws S3Exception NotImplemented, with the field and the setting
     */
    static void require(AuthorizedRequest authorized, BucketView bucket) {
        UnknownField first = authorized.unknownFields().get(0);
        if (!bucket.prefix().isEmpty()) {
            throw first.refused("the bucket has a prefix, and nobody knows whether the field would reach beyond it.");
        }
        if (!bucket.backend().capabilities().contains(Capability.S3_FORWARD)) {
            throw first.refused("the backend of this bucket does not speak S3.");
        }
        Set<String> hopByHop = hopByHop(authorized.request());
        boolean all = authorized.canConfigure(bucket.name());
        for (UnknownField field : authorized.unknownFields()) {
            String name = field.lowerCaseName();
            if (hopByHop.contains(name)) {
                throw field.refused("Connection names it, so it is for this connection only.");
            }
            if (!all && !bucket.settings().forwardUnknown().contains(name)) {
                throw field.refused("you have no admin on the whole bucket, and forward-unknown does not list it.");
            }
        }
    }

    /**
     * Returns the headers for the backend.
     *
     * @throws S3Exception NotImplemented for a header that is not supported together with unknown fields; as
     *     {@link ForwardedHeaders#of}
     */
    static HeaderList headers(AuthorizedRequest authorized, BucketView bucket) {
        S3Request request = authorized.request();
        boolean reads = request.isRead();
        for (String name : reads ? NEVER_OF_A_READ : NEVER_OF_A_WRITE) {
            if (request.amzField(name).isPresent()) {
                throw authorized.unknownFields().get(0).refused("not together with %s.".formatted(name));
            }
        }
        if (request.amzField(BYPASS).isPresent() && !authorized.canAdminister()) {
            throw new S3Exception(S3ErrorCode.ACCESS_DENIED);
        }
        authorized.unknownFields().forEach(field -> requireSent(request, field));
        List<String> more = reads ? OF_A_READ : List.of();
        return new HeaderList(Stream.concat(
                        ForwardedHeaders.of(authorized, bucket).fields().stream(),
                        more.stream()
                                .filter(name -> request.headers().first(name).isPresent())
                                .map(name -> new HeaderField(name, value(request, name))))
                .toList());
    }

    /**
     * Checks that an unknown field will be sent. A header would win over a parameter of the same name, and a checksum
     * in the query is left out.
     */
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
     * Returns the parameters for the backend.
     *
     * @throws S3Exception InvalidArgument for a repeated parameter, because servers differ in which value they use
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
