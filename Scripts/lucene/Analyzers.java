import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;
import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.custom.CustomAnalyzer;
import org.apache.lucene.analysis.tokenattributes.CharTermAttribute;

/**
 * Analyzes texts with Lucene. A line of standard input is an analyzer and a text, with tabs between: the folder of its
 * word lists, the tokenizer, each filter of characters, an empty cell, each filter of tokens, an empty cell, the text.
 * A filter is its name and its parameters (name key=value …), which have ␠ for a space. The answer is a line of tokens.
 */
public class Analyzers {
    public static void main(String[] arguments) throws Exception {
        Scanner lines = new Scanner(System.in, StandardCharsets.UTF_8);
        while (lines.hasNextLine()) {
            String[] cells = lines.nextLine().split("\t", -1);
            CustomAnalyzer.Builder builder = CustomAnalyzer.builder(Paths.get(cells[0])).withTokenizer(cells[1]);
            int next = 2;
            for (; !cells[next].isEmpty(); next++) builder.addCharFilter(name(cells[next]), parameters(cells[next]));
            for (next++; !cells[next].isEmpty(); next++) {
                builder.addTokenFilter(name(cells[next]), parameters(cells[next]));
            }
            List<String> tokens = new ArrayList<>();
            try (TokenStream stream = builder.build().tokenStream("", cells[next + 1])) {
                CharTermAttribute term = stream.addAttribute(CharTermAttribute.class);
                stream.reset();
                while (stream.incrementToken()) tokens.add(term.toString());
                stream.end();
            }
            System.out.println(String.join(" ", tokens));
        }
    }

    private static String name(String cell) {
        return cell.split(" ")[0];
    }

    private static Map<String, String> parameters(String cell) {
        String[] parts = cell.split(" ");
        Map<String, String> parameters = new HashMap<>();
        for (int part = 1; part < parts.length; part++) {
            String[] pair = parts[part].split("=", 2);
            parameters.put(pair[0], pair[1].replace('␠', ' '));
        }
        return parameters;
    }
}
