package io.millrace.gateway.cli;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import picocli.CommandLine;

/** Finds the commands and options that a mistyped word may mean. */
final class Suggestions {
    private static final int MOST = 3;

    /** A name as it is written in full, and how far it is from the word. */
    private record Near(String text, int distance) {}

    private Suggestions() {}

    /** At most three, the likeliest first; none if nothing is alike. */
    static List<String> of(CommandLine command, String word) {
        String typed = word.replaceFirst("=.*", "").toLowerCase(Locale.ROOT);
        Stream<Near> names = typed.startsWith("-") ? options(command, typed) : commands(command, typed);
        int farthest = typed.length() < 4 ? 1 : 2;
        return names.filter(near -> near.distance() <= farthest)
                .sorted(Comparator.comparingInt(Near::distance))
                .map(Near::text)
                .distinct()
                .limit(MOST)
                .toList();
    }

    private static Stream<Near> options(CommandLine command, String typed) {
        return command.getCommandSpec().optionsMap().keySet().stream()
                .filter(name -> name.startsWith("--"))
                .map(name -> new Near(name, distance(typed, name)));
    }

    /** Those below the command, and those below these: {@code cancel} is {@code jobs cancel}. */
    private static Stream<Near> commands(CommandLine command, String typed) {
        List<Near> found = new ArrayList<>();
        command.getSubcommands().forEach((name, below) -> {
            found.add(new Near(below.getCommandSpec().qualifiedName(), distance(typed, name)));
            commands(below, typed).forEach(found::add);
        });
        return found.stream();
    }

    /** How many letters to type, leave out or replace make one of the other; a beginning is next to the whole. */
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
