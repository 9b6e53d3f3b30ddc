package io.millrace.backend.s3;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BucketInfo;
import io.millrace.backend.spi.BucketName;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.ListPage;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.SelectedHead;
import java.util.List;
import java.util.Set;
import reactor.core.publisher.Mono;

/** One S3 server. Its capabilities are those of the protocol: a server that lacks one says so when it is asked. */
final class S3Backend implements Backend {
    private static final Set<Capability> CAPABILITIES =
            Set.of(Capability.VERSIONS, Capability.PARTS, Capability.CHECKSUMS);

    private final S3Client client;
    private final S3ObjectReader reader;
    private final S3ObjectLister lister;

    S3Backend(S3Client client) {
        this.client = client;
        this.reader = new S3ObjectReader(client);
        this.lister = new S3ObjectLister(client);
    }

    @Override
    public Set<Capability> capabilities() {
        return CAPABILITIES;
    }

    @Override
    public Mono<SelectedHead> head(ReadRequest request) {
        return reader.head(request);
    }

    @Override
    public Mono<ObjectContent> open(ReadRequest request) {
        return reader.open(request);
    }

    @Override
    public Mono<ListPage> list(ListRequest request) {
        return lister.list(request);
    }

    @Override
    public Mono<List<BucketInfo>> buckets() {
        return lister.buckets();
    }

    @Override
    public Mono<BucketInfo> bucket(BucketName name) {
        return lister.bucket(name);
    }

    @Override
    public Mono<Void> close() {
        return client.close();
    }
}
