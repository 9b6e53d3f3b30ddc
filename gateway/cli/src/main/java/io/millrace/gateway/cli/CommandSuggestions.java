package io.millrace.gateway.cli;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import picocli.CommandLine;

/** Suggests commands and options for a mistyped word. */
final class CommandSuggestions {
    private static final int MOST = 3;

    /** A command or option, and its edit distance from the word. */
    private record Candidate(String text, int distance) {}

    private CommandSuggestions() {}

    /** Returns at most three suggestions, the closest first; none if nothing is similar. */
    static List<String> suggest(CommandLine command, String word) {
        String typed = word.replaceFirst("=.*", "").toLowerCase(Locale.ROOT);
        Stream<Candidate> names = typed.startsWith("-") ? options(command, typed) : commands(command, typed);
        int farthest = typed.length() < 4 ? 1 : 2;
        return names.filter(near -> near.distance() <= farthest)
                .sorted(Comparator.comparingInt(Candidate::distance))
                .map(Candidate::text)
                .distinct()
                .limit(MOST)
                .toList();
    }

    private static Stream<Candidate> options(CommandLine command, String typed) {
        return command.getCommandSpec().optionsMap().keySet().stream()
                .filter(name -> name.startsWith("--"))
                .map(name -> new Candidate(name, distance(typed, name)));
    }

    /** Commands at all levels below: {@code cancel} suggests {@code jobs cancel}. */
    private static Stream<Candidate> commands(CommandLine command, String typed) {
        List<Candidate> found = new ArrayList<>();
        command.getSubcommands().forEach((name, below) -> {
            found.add(new Candidate(below.getCommandSpec().qualifiedName(), distance(typed, name)));
            commands(below, typed).forEach(found::add);
        });
        return found.stream();
    }

    /** The edit distance of two words; a prefix has distance 1. */
    private static int distance(String typed, String name) {
        if (typed.length() > 2 && name.startsWith(typed)) {
            return typed.equals(name) ? 0 : 1;
        }
        int[] row = new int[name.length() + 1];
        for (int j = 0; j <= name.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= typed.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= name.length(); j++) {
                int replaced = diagonal + (typed.charAt(i - 1) == name.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
            }
        }
        return row[name.length()];
    }
}
