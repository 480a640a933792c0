"""What areas of interest can be, and what lies in none."""

ELSEWHERE = "elsewhere"
RECTANGLE, POLYGON, LABEL = "rectangle", "polygon", "label"
