package io.millrace.gateway.cluster;

import io.millrace.gateway.objects.bucket.BucketView;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Two gateways whose net is method calls. */
class TwoGatewaysTest extends TwoGatewaysContract {
    private final Map<String, CalledMember> members = new ConcurrentHashMap<>();

    @Override
    TestMember member(String name, String another, Path folder, BucketView bucket, ManualTime time) throws IOException {
        return new CalledMember(name, members, Set.of(another), folder, bucket, time);
    }

    @Override
    void cut(boolean isCut) {
        member("one").cut(member("other"), isCut);
    }

    private CalledMember member(String name) {
        return Optional.ofNullable(members.get(name)).orElseThrow();
    }

    @Override
    Duration step() {
        return Duration.ofMillis(100);
    }
}
