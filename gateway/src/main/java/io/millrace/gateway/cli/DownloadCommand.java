package io.millrace.gateway.cli;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.TypeConversionException;

/** Fetches URLs into a bucket. */
@Command(name = "download", description = "Fetch URLs into a bucket, as a job.")
final class DownloadCommand extends SubmitCommand {
    private static final String STANDARD_INPUT = "-";
    private static final String COMMENT = "#";

    @Parameters(
            arity = "1..*",
            paramLabel = "URL... s3://TO/PREFIX",
            description = "What to fetch, and last where to. A URL may have a key and checksums behind it, in quotes:"
                    + " 'https://host/a.tar train/a.tar sha256:HEX'. With counters in its path it is many:"
                    + " https://host/d/shard-{000..127}.tar. - is a list on standard input.")
    private final List<String> words = new ArrayList<>();

    @Option(
            names = "--from-file",
            paramLabel = "FILE",
            description = "A list of URLs, one a line, 10,000 at most; - is standard input.")
    private @Nullable String fromFile;

    @Option(
            names = "--manifest",
            paramLabel = "s3://BUCKET/KEY",
            description = "An object that lists URLs, one a line, as many as there are; gzipped if it ends in .gz.")
    private @Nullable String manifest;

    @Option(
            names = "--which",
            paramLabel = "WHICH",
            description = "new: keys that are not there; changed: also those whose URL has something else now (without"
                    + " this option); all.")
    private @Nullable String which;

    DownloadCommand(Surroundings around) {
        super(around);
    }

    @Override
    String kind() {
        return "download";
    }

    @Override
    void putInto(Map<String, Object> request) {
        Map<String, Object> to = to().json();
        request.put("from", from());
        request.put("to", to);
        Fields.put(request, "which", which);
    }

    private Location to() {
        try {
            return Location.parse(words.get(words.size() - 1));
        } catch (TypeConversionException e) {
            throw CliException.usage("the last word says where to: " + e.getMessage());
        }
    }

    private Map<String, Object> from() {
        List<String> sources = words.subList(0, words.size() - 1);
        Map<String, Object> from = new LinkedHashMap<>();
        List<String> urls = new ArrayList<>();
        for (String source : sources) {
            if (source.startsWith("s3://")) {
                throw CliException.usage(
                        "%s is no URL: millrace copy carries objects, and --manifest names a list of URLs"
                                .formatted(PlainText.of(source)));
            }
            if (source.indexOf('{') >= 0) {
                from.put("template", source);
            } else if (source.equals(STANDARD_INPUT)) {
                urls.addAll(lines("-", STANDARD_INPUT));
            } else {
                urls.add(source);
            }
        }
        if (fromFile != null) {
            urls.addAll(lines("--from-file", fromFile));
        }
        Fields.put(from, "urls", urls.isEmpty() ? null : urls);
        Fields.put(from, "manifest", manifest);
        requireOne(from, sources);
        return from;
    }

    private static void requireOne(Map<String, Object> from, List<String> sources) {
        boolean severalTemplates = from.containsKey("template") && sources.size() > 1;
        if (from.isEmpty()) {
            throw CliException.usage("say what to fetch: URLs before the bucket, --from-file or --manifest");
        }
        if (from.size() > 1 || severalTemplates) {
            throw CliException.usage("a URL with counters, and a manifest, stand by themselves: make it several jobs");
        }
    }

    private List<String> lines(String option, String file) {
        return Lines.read(option, file, around()).stream()
                .filter(line -> !line.startsWith(COMMENT) && !line.isBlank())
                .toList();
    }
}
