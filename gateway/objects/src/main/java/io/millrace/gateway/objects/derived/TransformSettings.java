package io.millrace.gateway.objects.derived;

import io.millrace.backend.http.BackendTlsSettings;
import io.millrace.backend.http.WebUrl;
import io.millrace.config.DataSize;
import io.millrace.config.SettingDescription;
import io.millrace.config.problem.ProblemReporter;
import io.millrace.config.problem.SelfValidatingSettings;
import java.time.Duration;

/**
 * The settings of a transform: the service that makes new objects of others, and what tells its results apart from
 * those of another version of it.
 */
public record TransformSettings(
        @SettingDescription(
                value = "The service that makes an object of another one: it takes the bytes as the body of a request,"
                        + " and responds with those that it makes of them. Redirects are not followed.",
                example = "http://127.0.0.1:8100/")
        WebUrl url,

        @SettingDescription(
                value = "How the bytes are sent. put: with PUT to url/BUCKET/KEY, as AIStore does; post: with POST to"
                        + " the url as it is.",
                defaultValue = "put")
        Method method,

        @SettingDescription(
                value = "What the service is told beside the bytes, in the parameter etl_args. Another text makes other"
                        + " results.",
                defaultValue = "\"\"",
                example = "\"w=224\"")
        String args,

        @SettingDescription(
                value = "The version of the service's code. Raise it when that makes something else of the same"
                        + " bytes: all results are made anew when they are read.",
                defaultValue = "\"1\"")
        String version,

        @SettingDescription(
                value = "How long the service may take for one object, its bytes included, before its readers get an"
                        + " error.",
                defaultValue = "30s")
        Duration timeout,

        @SettingDescription(
                value = "Maximum calls of the service at a time; further ones wait for their turn. Fewer, but one, if"
                        + " their results could take more of the heap than the transform's share of a quarter.",
                defaultValue = "16")
        int concurrency,

        @SettingDescription(
                value = "The largest result, up to 64MiB. It is in memory until it is cached, once for each of the"
                        + " calls at a time, of which all may have 1GiB. Listings give this as the size of what was"
                        + " not made yet.",
                defaultValue = "4MiB")
        DataSize maxSize,

        @SettingDescription("TLS to the service: trusted authorities and a client certificate.")
        BackendTlsSettings tls)
        implements SelfValidatingSettings {
    /** The largest result, in bytes: what the cache takes in one piece. */
    private static final long MOST_BYTES = 64 << 20;

    /** The most bytes of all results in memory. */
    private static final long MOST_BYTES_OF_ALL = 1 << 30;

    private static final int MOST_CALLS = 1024;

    /** The ways in which bytes are sent to a service. */
    public enum Method {
        PUT,
        POST
    }

    @Override
    public void check(ProblemReporter problems) {
        if (timeout.isZero() || timeout.isNegative() || timeout.compareTo(Duration.ofHours(1)) > 0) {
            problems.add("timeout", timeout, "is not between 1ms and 1h", "write a time such as 30s");
        }
        boolean isInRange = concurrency >= 1 && concurrency <= MOST_CALLS;
        if (!isInRange) {
            problems.add("concurrency", concurrency, "is not between 1 and " + MOST_CALLS, "write 16");
        }
        if (maxSize.bytes() < 1 || maxSize.bytes() > MOST_BYTES) {
            problems.add("max-size", maxSize, "is not between 1 byte and 64MiB", "write a size such as 4MiB");
        } else if (isInRange && concurrency * maxSize.bytes() > MOST_BYTES_OF_ALL) {
            problems.add(
                    "max-size",
                    maxSize,
                    "is more than 1GiB for %d calls at a time".formatted(concurrency),
                    "lower it, or concurrency");
        }
    }

    /**
     * Returns settings that are equal for all whose calls go to the same service in the same way.
     *
     * @param heap the bytes that their results may have at a time
     */
    TransformSettings ofService(long heap) {
        int calls = (int) Math.max(1, Math.min(concurrency, heap / maxSize.bytes()));
        return new TransformSettings(url, Method.PUT, "", "", timeout, calls, maxSize, tls);
    }
}
