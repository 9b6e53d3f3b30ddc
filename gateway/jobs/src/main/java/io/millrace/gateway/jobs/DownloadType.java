package io.millrace.gateway.jobs;

import io.millrace.auth.policy.Right;
import io.millrace.backend.http.WebUrl;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.gateway.jobs.plan.InvalidJobException;
import io.millrace.gateway.jobs.plan.JobException;
import io.millrace.gateway.jobs.plan.ObjectSelection.Source;
import io.millrace.gateway.jobs.plan.Plan;
import io.millrace.gateway.jobs.plan.PlanFactory;
import io.millrace.gateway.jobs.plan.PlanItem;
import io.millrace.gateway.jobs.plan.RequestForm;
import io.millrace.gateway.jobs.plan.UrlListEntry;
import io.millrace.gateway.jobs.plan.UrlTemplate;
import io.millrace.gateway.jobs.store.ObjectFailure;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The jobs that fetch URLs into a bucket. They use the gateway's own network, so they need the right {@code admin}. */
final class DownloadType implements JobType {
    @Override
    public RequestForm form() {
        return new RequestForm("download", true, Set.of("from.urls", "to", "overwrite"));
    }

    @Override
    public JobRights rights() {
        return new JobRights(Optional.of(Right.ADMIN), Optional.of(Right.WRITE), false);
    }

    @Override
    public void check(JobContext job) {
        HttpFetcher fetcher = job.services().fetcher();
        if (!fetcher.isOpen()) {
            throw new JobException(
                    JobException.Kind.UNSUPPORTED,
                    "downloads are not allowed here: list allowed URLs, as https://data.example.org/sets/, below"
                            + " downloads.allowed-urls in the settings file");
        }
        Source source = job.spec().from().source();
        if (source instanceof Source.Urls urls) {
            urls.lines().forEach(line -> requireAllowed(fetcher, "from.urls", line));
        } else if (source instanceof Source.Template template) {
            UrlTemplate names = UrlTemplate.of(template.names());
            requireAllowed(fetcher, "from.template", names.line(0));
            requireAllowed(fetcher, "from.template", names.line(template.names().count() - 1));
        } else if (source instanceof Source.Manifest manifest) {
            job.bucket("from.manifest", manifest.in());
        }
    }

    private static void requireAllowed(HttpFetcher fetcher, String field, String line) {
        WebUrl url = UrlListEntry.parse(line).url();
        if (!fetcher.allows(url)) {
            throw new InvalidJobException(
                    field,
                    "has %s, which downloads.allowed-urls in the settings file does not allow"
                            .formatted(url.withoutQuery()));
        }
    }

    @Override
    public Plan plan(JobContext job, PlanInputs inputs) {
        Source source = job.spec().from().source();
        if (source instanceof Source.Urls urls) {
            return PlanFactory.numbered(
                    urls.lines().size(), index -> urls.lines().get((int) index));
        }
        if (source instanceof Source.Template template) {
            return PlanFactory.numbered(template.names().count(), UrlTemplate.of(template.names())::line);
        }
        if (source instanceof Source.Manifest manifest) {
            return PlanFactory.lines(job.bucket("from.manifest", manifest.in()), manifest.key(), job.retry());
        }
        List<ObjectFailure> failures = inputs.failures();
        return PlanFactory.numbered(
                failures.size(), index -> failures.get((int) index).key());
    }

    @Override
    public List<ObjectKey> keys(PlanItem item) {
        return List.of(UrlListEntry.parse(item.name()).key());
    }

    @Override
    public ObjectTask task(JobContext job, RunWrites writes) {
        HttpFetcher fetcher = job.services().fetcher();
        DownloadedObjectWriter downloads = new DownloadedObjectWriter(
                fetcher,
                writes.writes(),
                job.spec().limits().attempts(),
                new ParallelPartUploader(writes.writes(), writes.uploads()),
                new UnrangedDownload(
                        writes.writes(), writes.uploads(), job.services().blocks()));
        return new DownloadTask(fetcher, job.to(), job.spec(), job.names(), downloads, writes.begun());
    }
}
