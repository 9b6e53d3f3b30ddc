package io.millrace.gateway.s3.bucket;

import io.millrace.backend.spi.object.BucketInfo;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.gateway.objects.bucket.BucketRegistry;
import io.millrace.gateway.s3.gate.AuthorizedRequest;
import io.millrace.gateway.s3.gate.S3Handler;
import io.millrace.gateway.s3.protocol.S3Response;
import io.millrace.kit.XmlWriter;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import reactor.core.publisher.Mono;

/**
 * Lists the buckets in which the caller has any right.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListBuckets.html">ListBuckets</a>
 */
final class ListBuckets implements S3Handler {
    private final BucketRegistry buckets;
    /** The creation date of buckets whose date is unknown, because clients require one. */
    private final Instant started;

    ListBuckets(BucketRegistry buckets, Instant started) {
        this.buckets = buckets;
        this.started = started.truncatedTo(ChronoUnit.SECONDS);
    }

    @Override
    public Mono<S3Response> handle(AuthorizedRequest authorized) {
        ListBucketsQuery page = ListBucketsQuery.of(authorized.request().target());
        return buckets.listAll(authorized::canSee)
                .map(found -> S3Response.xml(200, HeaderList.EMPTY, document(authorized, page.of(found), page)));
    }

    private ByteBuffer document(AuthorizedRequest authorized, ListBucketsQuery.Found page, ListBucketsQuery request) {
        String owner = authorized.principal().name();
        XmlWriter xml = XmlWriter.of("ListAllMyBucketsResult")
                .open("Owner")
                .element("ID", owner)
                .element("DisplayName", owner)
                .close()
                .open("Buckets");
        for (BucketInfo bucket : page.buckets()) {
            Instant created = bucket.created().orElse(started);
            xml.open("Bucket")
                    .element("Name", bucket.name().value())
                    .element(
                            "CreationDate",
                            DateTimeFormatter.ISO_INSTANT.format(created.truncatedTo(ChronoUnit.SECONDS)))
                    .element("BucketRegion", GatewayRegion.OURS)
                    .close();
        }
        return xml.close()
                .element("Prefix", request.prefix().filter(prefix -> !prefix.isEmpty()))
                .element("ContinuationToken", page.next())
                .bytes();
    }
}
