package io.millrace.gateway.write;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.gateway.read.Origin;
import io.millrace.gateway.read.S3Origin;
import java.net.URI;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;

/**
 * The suite over any S3 server of this machine: {@code MILLRACE_TEST_S3_ENDPOINT}, {@code _ACCESS_KEY} and
 * {@code _SECRET_KEY} say which, and {@code _SERVER} whether it is one of those whose ways are known. Skipped without them.
 */
class EndpointWriteTest extends S3WriteSuite implements PayloadCases, KeyCases, BucketCases {
    private static final String PREFIX = "MILLRACE_TEST_S3_";

    @Override
    Origin connect() {
        Map<String, String> environment = System.getenv();
        assumeTrue(environment.containsKey(PREFIX + "ENDPOINT"), "no " + PREFIX + "ENDPOINT");
        return S3Origin.probed(
                URI.create(environment.getOrDefault(PREFIX + "ENDPOINT", "")),
                environment.getOrDefault(PREFIX + "ACCESS_KEY", ""),
                environment.getOrDefault(PREFIX + "SECRET_KEY", ""));
    }

    @Override
    public Set<Ability> abilities() {
        Set<Ability> all = EnumSet.allOf(Ability.class);
        if (System.getenv().getOrDefault(PREFIX + "SERVER", "").equals("versitygw")) {
            all.removeAll(EnumSet.of(
                    Ability.CONDITIONAL_COPY_TARGET,
                    Ability.CONDITIONAL_DELETE,
                    Ability.COMPLETES_TWICE,
                    Ability.PART_ORDER,
                    Ability.MISSES_UPLOADS));
        }
        return all;
    }
}
