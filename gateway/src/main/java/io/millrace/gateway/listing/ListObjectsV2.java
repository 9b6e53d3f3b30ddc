package io.millrace.gateway.listing;

import io.millrace.backend.spi.ListPage;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.ListRequest.From;
import io.millrace.gateway.bucket.BucketView;
import io.millrace.gateway.bucket.Buckets;
import io.millrace.gateway.freshness.CachedObjects;
import io.millrace.gateway.gate.Admission;
import io.millrace.gateway.gate.S3Handler;
import io.millrace.gateway.http.RequestTarget;
import io.millrace.gateway.http.S3Answer;
import io.millrace.gateway.http.S3Operation;
import io.millrace.gateway.http.XmlDocument;
import java.nio.ByteBuffer;
import java.util.Optional;
import reactor.core.publisher.Mono;

/**
 * One page of a bucket's keys.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html">ListObjectsV2</a>
 */
public final class ListObjectsV2 implements S3Handler {
    private final Buckets buckets;
    private final CachedObjects objects;
    private final PageTokens tokens;

    public ListObjectsV2(Buckets buckets, CachedObjects objects, PageTokens tokens) {
        this.buckets = buckets;
        this.objects = objects;
        this.tokens = tokens;
    }

    @Override
    public S3Operation operation() {
        return S3Operation.LIST_OBJECTS_V2;
    }

    @Override
    public Mono<S3Answer> handle(Admission admission) {
        RequestTarget target = admission.request().target();
        if (!target.parameter("list-type").orElse("").equals("2")) {
            throw ListingParameters.invalid(
                    "list-type", target.parameter("list-type").orElse(""), "Invalid List Type");
        }
        BucketView bucket = buckets.find(admission.bucket());
        ListingParameters parameters = ListingParameters.of(target);
        ListRequest request = new ListRequest(
                bucket.real(),
                bucket.inside(parameters.prefix()),
                parameters.delimiter(),
                from(target, bucket, parameters.prefix()),
                parameters.maxKeys(),
                target.parameter("fetch-owner").filter("true"::equalsIgnoreCase).isPresent());
        return Pages.of(objects, admission, bucket, request)
                .map(listed -> S3Answer.xml(200, listed.fields(), document(target, bucket, parameters, listed.page())));
    }

    private From from(RequestTarget target, BucketView bucket, String prefix) {
        Optional<String> token = target.parameter("continuation-token").filter(text -> !text.isEmpty());
        if (token.isPresent()) {
            return tokens.open(bucket, token.get())
                    .filter(text -> !text.isEmpty())
                    .map(From.Token::new)
                    .orElseThrow(() -> ListingParameters.invalid(
                            "continuation-token", token.get(), "The continuation token provided is incorrect"));
        }
        String after =
                bucket.markerInside(prefix, target.parameter("start-after").orElse(""));
        return after.isEmpty() ? new From.Beginning() : new From.After(after);
    }

    private ByteBuffer document(RequestTarget target, BucketView bucket, ListingParameters parameters, ListPage page) {
        XmlDocument xml = XmlDocument.of("ListBucketResult")
                .element("Name", bucket.name().value())
                .element("Prefix", parameters.encode(parameters.prefix()));
        target.parameter("start-after")
                .filter(after -> !after.isEmpty())
                .ifPresent(after -> xml.element("StartAfter", parameters.encode(after)));
        xml.element("ContinuationToken", target.parameter("continuation-token"));
        if (page.next().orElse(null) instanceof From.Token next) {
            xml.element("NextContinuationToken", tokens.seal(bucket, next.token()));
        }
        xml.element(
                        "KeyCount",
                        Integer.toString(page.objects().size() + page.prefixes().size()))
                .element("MaxKeys", Integer.toString(parameters.maxKeys()));
        if (!parameters.delimiter().isEmpty()) {
            xml.element("Delimiter", parameters.encode(parameters.delimiter()));
        }
        xml.element("EncodingType", parameters.encodingType().name())
                .element("IsTruncated", Boolean.toString(page.next().isPresent()));
        ListingXml.entries(xml, page, bucket, parameters);
        return xml.bytes();
    }
}
