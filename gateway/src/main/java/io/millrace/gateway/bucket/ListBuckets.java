package io.millrace.gateway.bucket;

import io.millrace.backend.spi.BucketInfo;
import io.millrace.backend.spi.HeaderList;
import io.millrace.gateway.gate.Admission;
import io.millrace.gateway.gate.S3Handler;
import io.millrace.gateway.http.S3Answer;
import io.millrace.gateway.http.S3Operation;
import io.millrace.gateway.http.XmlDocument;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import reactor.core.publisher.Mono;

/**
 * The buckets that the caller may do anything in.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListBuckets.html">ListBuckets</a>
 */
public final class ListBuckets implements S3Handler {
    private final Buckets buckets;
    /** What stands for a creation date that the file cannot know, since clients insist on one. */
    private final Instant started;

    public ListBuckets(Buckets buckets, Instant started) {
        this.buckets = buckets;
        this.started = started.truncatedTo(ChronoUnit.SECONDS);
    }

    @Override
    public S3Operation operation() {
        return S3Operation.LIST_BUCKETS;
    }

    @Override
    public Mono<S3Answer> handle(Admission admission) {
        BucketPage page = BucketPage.of(admission.request().target());
        return buckets.all(admission::sees)
                .map(found -> S3Answer.xml(200, HeaderList.EMPTY, document(admission, page.of(found), page)));
    }

    private ByteBuffer document(Admission admission, BucketPage.Found page, BucketPage asked) {
        String owner = admission.principal().name();
        XmlDocument xml = XmlDocument.of("ListAllMyBucketsResult")
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
                    .element("BucketRegion", Region.OURS)
                    .close();
        }
        return xml.close()
                .element("Prefix", asked.prefix().filter(prefix -> !prefix.isEmpty()))
                .element("ContinuationToken", page.next())
                .bytes();
    }
}
