package io.millrace.gateway.jobs;

import io.millrace.gateway.jobs.plan.JobRequestParser;
import io.millrace.gateway.jobs.plan.JobSpec;
import io.millrace.gateway.jobs.plan.RawJobRequest;
import io.millrace.gateway.jobs.plan.RequestForm;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The kinds of jobs of this gateway. */
public final class JobTypes {
    /** In the order in which messages name them. */
    private static final List<JobType> ALL = List.of(
            new PrefetchType(), // each on a line of its own
            new CopyType(),
            new PackType(),
            new DownloadType(),
            new EvictType(),
            new VerifyType());

    private static final List<RequestForm> FORMS =
            ALL.stream().map(JobType::form).toList();

    private static final Map<String, JobType> BY_WORD =
            ALL.stream().collect(Collectors.toMap(type -> type.form().kind(), type -> type));

    private JobTypes() {}

    /** Returns the words that requests use. */
    public static List<String> words() {
        return FORMS.stream().map(RequestForm::kind).toList();
    }

    /**
     * Checks a request, as far as that needs no buckets and rights.
     *
     * @throws io.millrace.gateway.jobs.plan.InvalidJobException if the request is invalid
     */
    public static void require(RawJobRequest request, Instant now) {
        JobSpec unused = read(request, now);
    }

    /**
     * Parses a request.
     *
     * @param now the time from which ages count
     * @throws io.millrace.gateway.jobs.plan.InvalidJobException if the request is invalid
     */
    static JobSpec read(RawJobRequest request, Instant now) {
        return JobRequestParser.read(request, now, FORMS);
    }

    /** Returns the kind of a parsed request. */
    static JobType of(JobSpec spec) {
        return find(spec.kind()).orElseThrow();
    }

    /** Returns true if a stored request is of URLs, even if it cannot be parsed any more. */
    static boolean isOfUrls(RawJobRequest request) {
        return find(request.kind()).filter(type -> type.form().isOfUrls()).isPresent();
    }

    /** Returns true if the objects of a stored request are not those that it selects, but such as it makes. */
    static boolean makesItems(RawJobRequest request) {
        return find(request.kind()).filter(JobType::makesItems).isPresent();
    }

    private static Optional<JobType> find(@Nullable String word) {
        return Optional.ofNullable(word).map(text -> BY_WORD.get(text.toLowerCase(Locale.ROOT)));
    }
}
