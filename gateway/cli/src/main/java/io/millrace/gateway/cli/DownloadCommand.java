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

/** Implements {@code millrace download}: submits a job that downloads URLs into a bucket. */
@Command(name = "download", description = "Submit a job that downloads URLs into a bucket.")
final class DownloadCommand extends SubmitJobCommand {
    private static final String STANDARD_INPUT = "-";
    private static final String COMMENT = "#";

    @Parameters(
            arity = "1..*",
            paramLabel = "URL... s3://TO/PREFIX",
            description = "The URLs, then the target. A URL may be followed by a key and checksums, in quotes:"
                    + " 'https://host/a.tar train/a.tar sha256:HEX'. A range in its path stands for many URLs:"
                    + " https://host/d/shard-{000..127}.tar. - reads a list from standard input.")
    private final List<String> words = new ArrayList<>();

    @Option(
            names = "--from-file",
            paramLabel = "FILE",
            description = "File with URLs, one per line, at most 10,000; - is standard input.")
    private @Nullable String fromFile;

    @Option(
            names = "--manifest",
            paramLabel = "s3://BUCKET/KEY",
            description = "Object with URLs, one per line, without limit; gzipped if its key ends in .gz.")
    private @Nullable String manifest;

    @Option(
            names = "--overwrite",
            paramLabel = "MODE",
            description =
                    "What to do with keys that exist. if-absent: leave them; if-changed: download those whose content"
                            + " has changed (default); always: download all.")
    private @Nullable String overwrite;

    DownloadCommand(CommandEnvironment around) {
        super("download", around);
    }

    @Override
    void putInto(Map<String, Object> request) {
        Map<String, Object> to = to().json();
        request.put("from", from());
        request.put("to", to);
        JobRequestFieldWriter.putIfPresent(request, "overwrite", overwrite);
    }

    private S3Location to() {
        try {
            return S3Location.parse(words.get(words.size() - 1));
        } catch (TypeConversionException e) {
            throw CliException.usage("the last argument is the target: " + e.getMessage());
        }
    }

    private Map<String, Object> from() {
        List<String> sources = words.subList(0, words.size() - 1);
        Map<String, Object> from = new LinkedHashMap<>();
        List<String> urls = new ArrayList<>();
        for (String source : sources) {
            if (source.startsWith("s3://")) {
                throw CliException.usage(
                        "%s is not a URL: use millrace copy for objects, or --manifest for an object with URLs"
                                .formatted(TerminalEscaper.escape(source)));
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
        JobRequestFieldWriter.putIfPresent(from, "urls", urls.isEmpty() ? null : urls);
        JobRequestFieldWriter.putIfPresent(from, "manifest", manifest);
        requireOne(from, sources);
        return from;
    }

    private static void requireOne(Map<String, Object> from, List<String> sources) {
        boolean severalTemplates = from.containsKey("template") && sources.size() > 1;
        if (from.isEmpty()) {
            throw CliException.usage(
                    "nothing to download: name URLs before the target, or use --from-file or --manifest");
        }
        if (from.size() > 1 || severalTemplates) {
            throw CliException.usage(
                    "a URL with a range, or a manifest, cannot be combined with other sources: submit several jobs");
        }
    }

    private List<String> lines(String option, String file) {
        return NameFileReader.read(option, file, environment()).stream()
                .filter(line -> !line.startsWith(COMMENT) && !line.isBlank())
                .toList();
    }
}
